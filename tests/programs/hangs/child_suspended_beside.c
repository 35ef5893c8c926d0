/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits for two tasks. One reads; another thread has suspended the other one, and waits in
   a task below it for the lock of the first. */
#include "hangs.h"

static omp_lock_t ledger;
static atomic_int begun;

static void await(int count) {
    while (atomic_load(&begun) < count)
        sched_yield();
}

int main(void) {
    omp_init_lock(&ledger);
#pragma omp parallel num_threads(3)
#pragma omp master
    {
        omp_set_lock(&ledger);
#pragma omp task
        {
            atomic_fetch_add(&begun, 1);
            pause();
        }
        await(1);
#pragma omp task
        {
#pragma omp task
            {atomic_fetch_add(&begun, 1);
        omp_set_lock(&ledger); /* expect: deadlock */
        omp_unset_lock(&ledger);
    }
#pragma omp taskwait
}
await(2);
ready();
#pragma omp taskwait /* expect: deadlock */
omp_unset_lock(&ledger);
}
return 0;
}
