/* SPDX-License-Identifier: Apache-2.0 */
/* Each of two threads has a mutex and tries for ever to lock the other's. */
#include "hangs.h"

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;  /* says: pthread mutex "left" */
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER; /* says: pthread mutex "right" */

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        pthread_mutex_t *const own = omp_get_thread_num() == 0 ? &left : &right;
        pthread_mutex_t *const other = omp_get_thread_num() == 0 ? &right : &left;
        pthread_mutex_lock(own);
        meet(2);
        while (pthread_mutex_trylock(other)) /* expect: deadlock */
            ;
        pthread_mutex_unlock(other);
        pthread_mutex_unlock(own);
    }
    return 0;
}
