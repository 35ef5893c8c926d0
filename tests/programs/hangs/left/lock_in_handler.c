/* SPDX-License-Identifier: Apache-2.0 */
/* A signal's handler wants the lock of the thread that the signal has interrupted. */
#include "../hangs.h"
#include <signal.h>

static omp_lock_t kept;

static void handle(int number) {
    (void)number;
    omp_set_lock(&kept); /* expect: deadlock|waiting */
}

int main(void) {
    omp_init_lock(&kept);
    signal(SIGUSR1, handle);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            omp_set_lock(&kept);
            raise(SIGUSR1);
            omp_unset_lock(&kept);
        }
#pragma omp barrier
    }
    return 0;
}
