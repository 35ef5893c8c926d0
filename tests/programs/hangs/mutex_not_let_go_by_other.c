/* SPDX-License-Identifier: Apache-2.0 */
/* A team waits for a mutex of its primary thread's, which another thread is to unlock: the C library
 * refuses that of a mutex of this type. */
#include "hangs.h"

static pthread_mutex_t gate = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static __attribute__((noinline)) void *opens(void *unused) {
    pause();
    pthread_mutex_unlock(&gate);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&gate);
    pthread_create(&thread, NULL, opens, NULL);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() != 0) {
            pthread_mutex_lock(&gate); /* expect: deadlock */
            pthread_mutex_unlock(&gate);
        }
    }
    return 0;
}
