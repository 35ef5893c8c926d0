/* SPDX-License-Identifier: Apache-2.0 */
/* A lock behind a function that does nothing else: at -O2 a tail call. */
#include "waits.h"

static omp_lock_t first;

static __attribute__((noinline)) void take(omp_lock_t *lock) { omp_set_lock(lock); }

int main(void) {
    omp_init_lock(&first);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            take(&first);
            READY();
            waits_lead(2);
        }
        AWAIT_READY();
        waits_record("lock", &first, NULL, 0);
        take(&first);
        omp_unset_lock(&first);
    }
    return 0;
}
