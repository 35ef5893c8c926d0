/* SPDX-License-Identifier: Apache-2.0 */
/* A signal's handler raises another one, whose handler never ends. Optimized it jumps to raise(),
 * and leaves no frame. */
#include "../hangs.h"

#include <signal.h>

static void wait_for_ever(int number) {
    (void)number;
    pause(); /* expect: waiting */
    work(1);
}

static void raise_other(int number) {
    (void)number;
    raise(SIGUSR2);
}

int main(void) {
    signal(SIGUSR1, raise_other);
    signal(SIGUSR2, wait_for_ever);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            raise(SIGUSR1);
    }
    return 0;
}
