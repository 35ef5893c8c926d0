/* SPDX-License-Identifier: Apache-2.0 */
/* A thread has a spin lock at a barrier to which those that spin for the lock do not come. */
#include "hangs.h"

static pthread_spinlock_t lock;

int main(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 2) {
            pthread_spin_lock(&lock);
            meet(3);
        } else {
            meet(3);
            pthread_spin_lock(&lock); /* expect: deadlock */ /* says: spin lock "lock" */
        }
#pragma omp barrier /* expect: deadlock */
        pthread_spin_unlock(&lock);
    }
    return 0;
}
