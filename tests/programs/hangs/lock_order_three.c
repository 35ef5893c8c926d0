/* SPDX-License-Identifier: Apache-2.0 */
/* Three threads, three locks in a ring; a fourth only waits for one. */
#include "hangs.h"

static omp_lock_t ring[3];

static void both(omp_lock_t *first, omp_lock_t *second) {
    omp_set_lock(first);
    meet(3);
    omp_set_lock(second); /* expect: deadlock */
    omp_unset_lock(second);
    omp_unset_lock(first);
}

int main(void) {
    for (int i = 0; i < 3; i++)
        omp_init_lock(&ring[i]);
    ready();
#pragma omp parallel num_threads(4)
    {
        const int number = omp_get_thread_num();
        if (number < 3) {
            both(&ring[number], &ring[(number + 1) % 3]);
        } else {
            while (atomic_load(&hangs_count) < 3)
                sched_yield();
            omp_set_lock(&ring[0]);
            omp_unset_lock(&ring[0]);
        }
    }
    return 0;
}
