/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of the program's own, which has begun no region, waits for a lock that a thread at a
 * barrier has set. The primary thread waits for the end of the first. */
#include "hangs.h"

static omp_lock_t ledger; /* says: lock "ledger" */

static void *book(void *arg) {
    omp_set_lock(&ledger); /* expect: deadlock */
    omp_unset_lock(&ledger);
    return arg;
}

int main(void) {
    omp_init_lock(&ledger);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            omp_set_lock(&ledger);
            meet(2);
        } else {
            pthread_t other;
            meet(2);
            pthread_create(&other, NULL, book, NULL);
            pthread_join(other, NULL); /* expect: deadlock */
        }
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            omp_unset_lock(&ledger);
    }
    return 0;
}
