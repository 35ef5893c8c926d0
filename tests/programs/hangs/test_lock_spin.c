/* SPDX-License-Identifier: Apache-2.0 */
/* A thread tries for ever to set a lock that another has at the barrier. */
#include "hangs.h"

static omp_lock_t owned;

int main(void) {
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&owned);
        meet(2);
        while (omp_get_thread_num() == 1 && !omp_test_lock(&owned))
            sched_yield(); /* says: spinning on "owned" */
#pragma omp barrier        /* expect: deadlock */
        omp_unset_lock(&owned);
    }
    return 0;
}
