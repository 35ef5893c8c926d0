/* SPDX-License-Identifier: Apache-2.0 */
/* A team waits for a mutex that a thread of it has locked itself, until another thread unlocks it:
 * POSIX forbids it, and the C library does it. */
#include "hangs.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void *opens(void *unused) {
    pause(); /* expect: waiting */
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
        pthread_mutex_lock(&gate);
        pthread_mutex_unlock(&gate);
    }
    return 0;
}
