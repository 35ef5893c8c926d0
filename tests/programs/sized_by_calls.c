/* SPDX-License-Identifier: Apache-2.0 */
/* Each region's code sets nthreads-var for the regions inside; one thread of each begins the next.
 */
#include <omp.h>

static volatile int seen;
__attribute__((noinline)) void alone(const char *reason) { seen += reason[0]; }

__attribute__((noinline)) static void inner(int threads, int levels) {
    omp_set_num_threads(threads);
    omp_set_max_active_levels(levels);
#pragma omp parallel
    {
        omp_set_num_threads(5);
        omp_set_max_active_levels(0);
        if (omp_get_thread_num() == 0)
            alone("call");
    }
    seen++;
}

int main(void) {
    omp_set_num_threads(3);
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0)
            inner(2, 2);
#pragma omp barrier
        omp_set_num_threads(2);
        if (omp_get_thread_num() == 0)
            inner(4, 1);
    }
    omp_set_num_threads(1);
#pragma omp parallel
    inner(1, 2);
    return 0;
}
