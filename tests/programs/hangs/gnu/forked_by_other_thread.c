/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that has begun no region forks while a thread of a team holds a lock. The child waits for
 * that. */
#include "../hangs.h"

#include "../forked.h"

static omp_lock_t ledger; /* says: lock "ledger" */

static void *fork_here(void *arg) {
    if (forked()) {
        ready();
        omp_set_lock(&ledger); /* expect: deadlock */ /* says: which no thread is left to release */
    }
    return arg;
}

int main(void) {
    omp_init_lock(&ledger);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            omp_set_lock(&ledger);
#pragma omp barrier
#pragma omp master
        {
            pthread_t other;
            pthread_create(&other, NULL, fork_here, NULL);
            pthread_join(other, NULL);
        }
    }
    return 0;
}
