/* SPDX-License-Identifier: Apache-2.0 */
/* A worker never leaves its loop. */
#include "hangs.h"

volatile int done;

static __attribute__((noinline)) void spin(void) {
    while (!done) { /* expect: waiting */ /* says: which spins on "done" */
    }
}

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 3)
            spin();
#pragma omp barrier
    }
    return 0;
}
