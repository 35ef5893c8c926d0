/* SPDX-License-Identifier: Apache-2.0 */
/* A lock made of a condition variable, at which threads wait for a time again and again, and which
 * does not say who has it. */
#include "hangs.h"

#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_free = 1;
static atomic_int requests;

static __attribute__((noinline)) void take(void) {
    pthread_mutex_lock(&mutex);
    while (!is_free) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 60;
        if (pthread_cond_timedwait(&changed, &mutex, &until) != 0) /* expect: deadlock */
            atomic_store(&requests, 1);
    }
    is_free = 0;
    pthread_mutex_unlock(&mutex);
}

static __attribute__((noinline)) void let_go(void) {
    pthread_mutex_lock(&mutex);
    is_free = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}

int main(void) {
    take(); /* says: , as far as the code tells: */
    ready();
#pragma omp parallel num_threads(3) /* expect: deadlock */
    if (omp_get_thread_num() > 0) {
        take(); /* says: until woken by another thread */
        let_go();
    }
    let_go();
    return 0;
}
