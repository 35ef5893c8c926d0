/* SPDX-License-Identifier: Apache-2.0 */
/* Locks in an array, one for each waiter. */
#include "waits.h"

static omp_lock_t locks[3];

int main(void) {
    for (int i = 0; i < 3; i++)
        omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(3)
    {
        const int number = omp_get_thread_num();
        if (number == 0) {
            omp_set_lock(&locks[1]);
            omp_set_lock(&locks[2]);
            READY();
            waits_lead(2);
        }
        AWAIT_READY();
        WAIT("lock", &locks[number], number == 1 ? "locks[1]" : "locks[2]", 1);
        omp_set_lock(&locks[number]);
        omp_unset_lock(&locks[number]);
    }
    return 0;
}
