/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that waits for a lock in a serialized region. */
#include "waits.h"

static omp_lock_t lock;

int main(void) {
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            omp_set_lock(&lock);
            READY();
            waits_lead(1);
        }
        AWAIT_READY();
#pragma omp parallel num_threads(1)
        {
            WAIT("lock", &lock, "lock", 1);
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
        }
    }
    return 0;
}
