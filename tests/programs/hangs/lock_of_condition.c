/* SPDX-License-Identifier: Apache-2.0 */
/* A lock made of a condition variable, as an interpreter's global one: the primary thread keeps it
 * while its team wants it. It notes who has taken it, in a record of the thread. */
#include "hangs.h"

struct record {
    int calls;
    pthread_t thread;
};
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int taken;
    struct record *by;
} lock = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static __attribute__((noinline)) void take(struct record *me) {
    pthread_mutex_lock(&lock.mutex);
    while (lock.taken)
        pthread_cond_wait(&lock.changed, &lock.mutex); /* expect: deadlock */
    lock.taken = 1;
    lock.by = me;
    pthread_mutex_unlock(&lock.mutex);
}

static __attribute__((noinline)) void let_go(struct record *me) {
    pthread_mutex_lock(&lock.mutex);
    lock.taken = lock.by != me;
    pthread_cond_signal(&lock.changed);
    pthread_mutex_unlock(&lock.mutex);
}

int main(void) {
    static struct record records[4];
    records[3].thread = pthread_self();
    take(&records[3]); /* says: for the lock of take() */
    ready();
#pragma omp parallel num_threads(3) /* expect: deadlock */
    if (omp_get_thread_num() > 0) {
        struct record *const me = &records[omp_get_thread_num()];
        me->thread = pthread_self();
        take(me); /* says: held by GDB thread 1 */
        let_go(me);
    }
    let_go(&records[3]);
    return 0;
}
