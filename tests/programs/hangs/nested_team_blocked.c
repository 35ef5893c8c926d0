/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits at a barrier, with a lock set, for one that has begun an inner region. A thread of
   that waits for the lock, while its primary thread is blocked elsewhere. */
#include "hangs.h"

static omp_lock_t gate;

int main(void) {
    omp_init_lock(&gate);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            omp_set_lock(&gate);
            meet(3);
#pragma omp barrier /* expect: deadlock */
            omp_unset_lock(&gate);
        } else {
#pragma omp parallel num_threads(2)
            {
                meet(3);
                if (omp_get_thread_num() == 0) {
                    ready();
                    pause();
                } else {
                    omp_set_lock(&gate); /* expect: deadlock */
                    omp_unset_lock(&gate);
                }
            }
#pragma omp barrier
        }
    }
    return 0;
}
