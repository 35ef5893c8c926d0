/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits for a condition that nobody signals, the others for it. */
#include "hangs.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        {
            pthread_mutex_lock(&mutex);
            pthread_cond_wait(&filled, &mutex); /* expect: deadlock */ /* says: pthread_cond_wait */
            pthread_mutex_unlock(&mutex);
        }
    }
    return 0;
}
