/* SPDX-License-Identifier: Apache-2.0 */
/* A signal's handler blocks in a critical; optimized it jumps to what blocks, and has no frame. */
#include "hangs.h"
#include <signal.h>

static void handle(int number) {
    (void)number;
    pause(); /* expect: waiting */ /* says: in pause */
}

int main(void) {
    signal(SIGUSR1, handle);
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        raise(SIGUSR1); /* expect: waiting */
    }
    return 0;
}
