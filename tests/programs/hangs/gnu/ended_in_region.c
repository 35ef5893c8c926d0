/* SPDX-License-Identifier: Apache-2.0 */
/* A thread is cancelled where it pauses in its region, and ends: its runtime waits for the workers,
   which wait for it at a barrier. */
#include "../hangs.h"

static void is_cancelled(void *unused) {
    (void)unused;
    ready();
}

static void *begins(void *unused) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            pthread_cleanup_push(is_cancelled, NULL);
            for (;;)
                pause();
            pthread_cleanup_pop(0);
        }
#pragma omp barrier
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, begins, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL); /* expect: waiting */
    return 0;
}
