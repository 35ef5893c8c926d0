/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits for a task with a mutex locked, and executes it itself: it tries for ever to lock
   the mutex once more. */
#include "hangs.h"

static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void book(void) {
    while (pthread_mutex_trylock(&ledger) != 0) /* expect: deadlock */ /* says: it holds itself */
        ;
    pthread_mutex_unlock(&ledger);
}

int main(void) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        pthread_mutex_lock(&ledger);
        ready();
#pragma omp task if (0)
        book();
        pthread_mutex_unlock(&ledger);
    }
    return 0;
}
