/* SPDX-License-Identifier: Apache-2.0 */
/* In an inner team one thread goes round the barrier; the outer team waits for it. */
#include "hangs.h"

int main(void) {
    omp_set_max_active_levels(2);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
            {
                if (omp_get_thread_num() == 1) {
#pragma omp barrier /* expect: deadlock */
                }
            }
        }
#pragma omp barrier
    }
    return 0;
}
