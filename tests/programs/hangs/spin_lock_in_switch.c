/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that does not come to a barrier has a lock in a case of a switch, which a compiler has
 * jump through a table. The other spins for the lock, at another case. */
#include "hangs.h"

static pthread_spinlock_t lock;
static volatile long steps;

static __attribute__((noinline)) void act(int member) {
    switch (member) {
    case 0:
        pthread_spin_lock(&lock);
        meet(2);
#pragma omp barrier /* expect: deadlock */
        pthread_spin_unlock(&lock);
        break;
    case 1:
        meet(2);
        pthread_spin_lock(&lock); /* expect: deadlock */ /* says: spin lock "lock" */
        steps += 2;
        break;
    case 2:
        pthread_spin_unlock(&lock);
        break;
    case 3:
        steps *= 3;
        break;
    case 4:
        steps -= 5;
        break;
    default:
        steps++;
    }
    steps++;
}

int main(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    ready();
#pragma omp parallel num_threads(2)
    act(omp_get_thread_num());
    return 0;
}
