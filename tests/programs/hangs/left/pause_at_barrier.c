/* SPDX-License-Identifier: Apache-2.0 */
/* A signal's handler blocks in a thread that waits at a barrier; both have no frame. */
#include "../hangs.h"
#include <signal.h>

static void handle(int number) {
    (void)number;
    pause(); /* expect: waiting */
}

int main(void) {
    pthread_t other = pthread_self();
    signal(SIGUSR1, handle);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            other = pthread_self();
            meet(2);
        } else {
            meet(2);
            usleep(200000);
            pthread_kill(other, SIGUSR1);
            usleep(10000);
            ready();
        }
#pragma omp barrier
    }
    return 0;
}
