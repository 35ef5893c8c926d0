/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier in one of two sections. */
#include "hangs.h"

static __attribute__((noinline)) void step(void) {
#pragma omp barrier
    work(1);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(2) /* gcc: here */
    {
#pragma omp sections /* expect: deadlock */
        {
#pragma omp section
            {
                meet(2);
                step(); /* gcc: here */
            }
#pragma omp section
            meet(2);
        }
        work(1);
    }
    return 0;
}
