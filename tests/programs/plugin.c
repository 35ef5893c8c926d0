/* SPDX-License-Identifier: Apache-2.0 */
/* A library that brings the OpenMP runtime with it. */
#include <omp.h>

__attribute__((noinline)) static int reached(int thread_num, int team_size, int level) {
    return thread_num + team_size + level;
}

int plugin_run(void) {
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            sum += reached(omp_get_thread_num(), omp_get_num_threads(), omp_get_level());
    }
    return sum;
}
