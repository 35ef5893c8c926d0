/* SPDX-License-Identifier: Apache-2.0 */
/* A thread is cancelled inside of its region, and ends there: its runtime waits for the workers,
   which wait for it at a barrier. */
#include "../hangs.h"

static void *begins(void *unused) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            ready();
            for (;;)
                pause();
        }
#pragma omp barrier
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, begins, NULL);
    usleep(200000);
    pthread_cancel(thread);
    pthread_join(thread, NULL); /* expect: waiting */
    return 0;
}
