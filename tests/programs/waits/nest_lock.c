/* SPDX-License-Identifier: Apache-2.0 */
/* A nestable lock. */
#include "waits.h"

static omp_nest_lock_t lock;

int main(void) {
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_nest_lock(&lock);
            READY();
            waits_lead(2);
        }
        AWAIT_READY();
        WAIT("nest lock", &lock, "lock", 1);
        omp_set_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
    }
    return 0;
}
