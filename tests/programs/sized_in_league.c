/* SPDX-License-Identifier: Apache-2.0 */
/* A target region begins anew: the call around it has not begun the region in its team. */
#include <omp.h>

__attribute__((noinline)) static void stop(void) { __asm__ volatile(""); }

int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp master
#pragma omp target teams num_teams(2) thread_limit(2)
    {
#pragma omp parallel
        if (omp_get_thread_num() == 0)
            stop();
    }
    return 0;
}
