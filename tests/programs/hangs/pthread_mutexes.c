/* SPDX-License-Identifier: Apache-2.0 */
/* A pthread mutex and a critical, taken in both orders. */
#include "hangs.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            pthread_mutex_lock(&mutex);
            meet(2);
#pragma omp critical(gate) /* expect: deadlock */
            work(1);
            pthread_mutex_unlock(&mutex);
        } else {
#pragma omp critical(gate)
            {
                meet(2);
                pthread_mutex_lock(&mutex); /* expect: deadlock */
                pthread_mutex_unlock(&mutex);
            }
        }
    }
    return 0;
}
