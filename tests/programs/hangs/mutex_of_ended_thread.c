/* SPDX-License-Identifier: Apache-2.0 */
/* A thread ends while it holds a pthread mutex that a team wants. */
#include "hangs.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *ends(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, ends, NULL);
    pthread_join(thread, NULL);
    ready();
#pragma omp parallel num_threads(3)
    {
        pthread_mutex_lock(&mutex); /* expect: deadlock */
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}
