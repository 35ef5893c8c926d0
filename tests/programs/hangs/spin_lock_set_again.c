/* SPDX-License-Identifier: Apache-2.0 */
/* A thread spins for a lock that it has itself. The code lets it go twice: no other thread comes to
 * that which does not spin for the lock before. */
#include "hangs.h"

static pthread_spinlock_t lock;
static volatile long steps;

static __attribute__((noinline)) void step(void) {
    for (;;)
        steps++;
}

static __attribute__((noinline)) void set_again(void) {
    pthread_spin_lock(&lock);
    pthread_spin_lock(&lock); /* expect: deadlock */ /* says: spin lock "lock" */
    steps++;
    pthread_spin_unlock(&lock);
    pthread_spin_unlock(&lock);
    steps++;
}

int main(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            step();
        if (omp_get_thread_num() == 1)
            set_again();
    }
    return 0;
}
