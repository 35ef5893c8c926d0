/* SPDX-License-Identifier: Apache-2.0 */
/* Readers let go before they write, or read twice; another thread lets a lock go for a reader. */
#include "../hangs.h"

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER, handed = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int given;

static __attribute__((noinline)) void change(void) {
    pthread_rwlock_wrlock(&table);
    work(200);
    pthread_rwlock_unlock(&table);
}

/* The second thread lets go what the first has taken to read, and then wants to write itself. */
static void hand_over(int thread_num) {
    if (thread_num == 0) {
        pthread_rwlock_rdlock(&handed);
        atomic_store(&given, 1);
        pthread_rwlock_wrlock(&handed);
        pthread_rwlock_unlock(&handed);
        while (atomic_load(&given) != 0)
            sched_yield();
    } else {
        while (atomic_load(&given) != 1)
            sched_yield();
        work(20000);
        pthread_rwlock_unlock(&handed);
        atomic_store(&given, 0);
    }
}

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    for (int i = 0;; i++) {
        int n = omp_get_thread_num();
        pthread_rwlock_rdlock(&table);
        if ((i + n) % 3 == 0)
            pthread_rwlock_rdlock(&table);
        work(200);
        if ((i + n) % 3 == 0)
            pthread_rwlock_unlock(&table);
        pthread_rwlock_unlock(&table);
        change();
        if (n < 2)
            hand_over(n);
    }
    return 0;
}
