/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits for its task. Another one has suspended that, and waits in a task below it for the
 * lock of the first. */
#include "hangs.h"

static omp_lock_t ledger;
static atomic_int begun;

int main(void) {
    omp_init_lock(&ledger);
#pragma omp parallel num_threads(3)
#pragma omp master
    {
        omp_set_lock(&ledger);
#pragma omp task
        {
#pragma omp task
            {
                atomic_store(&begun, 1);
                omp_set_lock(&ledger); /* expect: deadlock */
                omp_unset_lock(&ledger);
            }
#pragma omp taskwait
        }
        while (!atomic_load(&begun))
            sched_yield();
        ready();
#pragma omp taskwait /* expect: deadlock */
        omp_unset_lock(&ledger);
    }
    return 0;
}
