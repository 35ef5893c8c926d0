/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that have spin locks for a short time: one holds it a while longer than the rest. */
#include "../hangs.h"

static pthread_spinlock_t locks[2];

int main(void) {
    pthread_spin_init(&locks[0], PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&locks[1], PTHREAD_PROCESS_PRIVATE);
    ready();
#pragma omp parallel num_threads(3)
    for (int i = 0;; i++) {
        pthread_spin_lock(&locks[i % 2]);
        work(omp_get_thread_num() == 0 ? 50000 : 10);
        pthread_spin_unlock(&locks[i % 2]);
    }
}
