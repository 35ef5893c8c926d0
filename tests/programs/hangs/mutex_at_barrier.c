/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits at a barrier and holds a pthread mutex that another one wants first. */
#include "hangs.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            pthread_mutex_lock(&mutex);
            meet(2);
        } else if (omp_get_thread_num() == 1) {
            meet(2);
            pthread_mutex_lock(&mutex); /* expect: deadlock */
        }
#pragma omp barrier /* expect: deadlock */
    }
    return 0;
}
