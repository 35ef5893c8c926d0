/* SPDX-License-Identifier: Apache-2.0 */
/* A thread ends while it holds a lock of the runtime's that a team wants. */
#include "hangs.h"

static omp_lock_t lock;

static void *ends(void *unused) {
    omp_set_lock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    omp_init_lock(&lock);
    pthread_create(&thread, NULL, ends, NULL);
    pthread_join(thread, NULL);
    ready();
#pragma omp parallel num_threads(3)
    {
        omp_set_lock(&lock); /* expect: deadlock|waiting */
        omp_unset_lock(&lock);
    }
    return 0;
}
