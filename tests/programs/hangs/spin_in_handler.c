/* SPDX-License-Identifier: Apache-2.0 */
/* A signal's handler waits for a lock of the program's own making that the thread it has
 * interrupted holds. */
#include "hangs.h"

#include <signal.h>

static atomic_flag taken = ATOMIC_FLAG_INIT; /* says: spinning on "taken */

static void take(void) {
    while (atomic_flag_test_and_set(&taken)) /* expect: waiting */
        ;
}

static void handle(int number) {
    (void)number;
    take();
    atomic_flag_clear(&taken);
}

int main(void) {
    signal(SIGUSR1, handle);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            take();
            raise(SIGUSR1); /* says: which has interrupted raise() at */
            atomic_flag_clear(&taken);
        }
    }
    return 0;
}
