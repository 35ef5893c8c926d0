/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier that only the primary thread comes to. */
#include "hangs.h"

static __attribute__((noinline)) void step(void) {
#pragma omp barrier /* expect: deadlock */
    work(1);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
#pragma omp master
        step();
    }
    return 0;
}
