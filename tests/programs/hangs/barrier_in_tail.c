/* SPDX-License-Identifier: Apache-2.0 */
/* Who has the lock waits at a barrier, to which optimised code jumps as it does to a lock. */
#include "hangs.h"

static omp_lock_t gate;

int main(void) {
    omp_init_lock(&gate);
    ready();
#pragma omp parallel num_threads(3)
    {
        const int number = omp_get_thread_num();
        omp_set_lock(&gate); /* expect: deadlock */
        if (number >= 0) {
#pragma omp barrier /* expect: deadlock */
        } else
            omp_set_lock(&gate);
    }
    return 0;
}
