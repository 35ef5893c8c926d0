/* SPDX-License-Identifier: Apache-2.0 */
/* A league whose teams the runtime gives fewer threads than the clause lets them have. */
#include <omp.h>

__attribute__((noinline)) static void stop(void) { __asm__ volatile(""); }

int main(void) {
#pragma omp teams num_teams(2) thread_limit(2)
    {
#pragma omp parallel
        if (omp_get_thread_num() == 0)
            stop();
    }
    return 0;
}
