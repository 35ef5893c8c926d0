/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier in a loop, whose threads have different numbers of iterations. */
#include "hangs.h"

static __attribute__((noinline)) void step(void) {
#pragma omp barrier
    work(1);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1) /* expect: deadlock */
        for (int i = 0; i < 3; i++)
            step(); /* gcc: here */
        work(1);
    }
    return 0;
}
