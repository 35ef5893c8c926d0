/* SPDX-License-Identifier: Apache-2.0 */
/* A task sleeps, which a thread at the region's last barrier executes: optimised, it jumps to the
   sleep, and has no frame. */
#include "hangs.h"

static __attribute__((noinline)) void rest(void) {
    sleep(3600); /* expect: waiting */
}

int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        ready();
#pragma omp task
        rest(); /* expect: waiting */
    }
    return 0;
}
