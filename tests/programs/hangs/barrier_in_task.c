/* SPDX-License-Identifier: Apache-2.0 */
/* A task has a barrier, which its thread waits at alone. */
#include "hangs.h"

static __attribute__((noinline)) void together(void) {
#pragma omp barrier /* expect: deadlock */
    work(1);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
#pragma omp master
        {
#pragma omp task if (0)
            together();
        }
    }
    return 0;
}
