/* SPDX-License-Identifier: Apache-2.0 */
/* Two pthread mutexes, taken in both orders by two threads of a team. */
#include "hangs.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

/* Apart from each other, or the compiler makes one call of both. */
static __attribute__((noinline)) void forth(void) {
    pthread_mutex_lock(&first);
    meet(2);
    pthread_mutex_lock(&second); /* expect: deadlock */ /* says: pthread mutex "second" */
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
}

static __attribute__((noinline)) void back(void) {
    pthread_mutex_lock(&second);
    meet(2);
    pthread_mutex_lock(&first); /* expect: deadlock */ /* says: pthread mutex "first" */
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            forth();
        else
            back();
    }
    return 0;
}
