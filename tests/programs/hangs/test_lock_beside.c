/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that is in no region tries for ever to set the lock of one that waits for its end. */
#include "hangs.h"

static omp_lock_t gate;

static void *beside(void *argument) {
    while (!omp_test_lock(&gate)) /* expect: deadlock */
        ;
    omp_unset_lock(&gate);
    return argument;
}

int main(void) {
    pthread_t other;
    omp_init_lock(&gate);
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        omp_set_lock(&gate);
        pthread_create(&other, 0, beside, 0);
        ready();
        pthread_join(other, 0); /* expect: deadlock */
        omp_unset_lock(&gate);
    }
    return 0;
}
