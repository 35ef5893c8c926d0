/* SPDX-License-Identifier: Apache-2.0 */
/* A signal's handler lets go the lock that a thread waits for, which it has set itself. */
#include <signal.h>

#include "hangs.h"

static omp_lock_t gate;

static void rings(int number) { /* says: when it is called back */
    (void)number;
    omp_unset_lock(&gate);
}

static __attribute__((noinline)) void pass(void) {
    omp_set_lock(&gate); /* expect: waiting */
}

int main(void) {
    omp_init_lock(&gate);
    signal(SIGUSR1, rings);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            pass();
            ready();
            pass();
        }
    }
    return 0;
}
