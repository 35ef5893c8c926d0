/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that have begun no region, and a team, hand a lock on to each other. */
#include "../hangs.h"

static omp_lock_t ledger;

static void *book(void *arg) {
    for (;;) {
        omp_set_lock(&ledger);
        work(100);
        omp_unset_lock(&ledger);
    }
    return arg;
}

int main(void) {
    pthread_t others[2];
    omp_init_lock(&ledger);
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, book, NULL);
    ready();
#pragma omp parallel num_threads(2)
    book(NULL);
    return 0;
}
