/* SPDX-License-Identifier: Apache-2.0 */
/* A threadprivate variable that nobody writes: optimisers know its value, and leave it out. */
#include <omp.h>

static int own;
#pragma omp threadprivate(own)

__attribute__((noinline)) void stop(int seen) { __asm__ volatile("" : : "r"(seen) : "memory"); }

int main(void) {
#pragma omp parallel num_threads(2)
    {
        stop(own);
        stop(own + omp_get_thread_num());
    }
    return 0;
}
