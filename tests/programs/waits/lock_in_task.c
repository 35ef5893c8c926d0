/* SPDX-License-Identifier: Apache-2.0 */
/* A lock that an explicit task waits for. */
#include "waits.h"

static omp_lock_t lock;

int main(void) {
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&lock);
#pragma omp task
            {
                READY();
                WAIT("lock", &lock, "lock", 1);
                omp_set_lock(&lock);
                omp_unset_lock(&lock);
            }
            AWAIT_READY();
            waits_lead(1);
        } else {
            AWAIT_TASKS();
        }
    }
    return 0;
}
