/* SPDX-License-Identifier: Apache-2.0 */
/* A pthread mutex inside of a critical. */
#include "../hangs.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
        for (;;) {
#pragma omp critical(gate)
            {
                pthread_mutex_lock(&mutex);
                work(2);
                pthread_mutex_unlock(&mutex);
            }
            pthread_mutex_lock(&mutex);
            work(2);
            pthread_mutex_unlock(&mutex);
        }
    }
    return 0;
}
