/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of a team joins a pthread that never ends. */
#include "hangs.h"

static void *forever(void *unused) {
    for (;;)
        pause(); /* expect: waiting */
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, forever, NULL);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 2) {
            pthread_join(thread, NULL); /* says: in pthread_join */
            work(1);
        }
#pragma omp barrier
    }
    return 0;
}
