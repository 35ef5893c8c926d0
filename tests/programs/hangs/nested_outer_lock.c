/* SPDX-License-Identifier: Apache-2.0 */
/* A nested region waits for a lock that its primary thread holds. */
#include "hangs.h"

static omp_lock_t outer;

int main(void) {
    omp_init_lock(&outer);
    omp_set_max_active_levels(2);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&outer);   /* gcc: here */
#pragma omp parallel num_threads(2) /* expect: deadlock */
            {
                if (omp_get_thread_num() == 1) {
                    omp_set_lock(&outer); /* expect: deadlock */
                    omp_unset_lock(&outer);
                }
            }
            omp_unset_lock(&outer);
        }
    }
    return 0;
}
