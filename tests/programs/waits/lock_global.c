/* SPDX-License-Identifier: Apache-2.0 */
/* A lock in a global variable. */
#include "waits.h"

omp_lock_t lock;

int main(void) {
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&lock);
            READY();
            waits_lead(2);
        }
        AWAIT_READY();
        WAIT("lock", &lock, "lock", 1);
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    }
    return 0;
}
