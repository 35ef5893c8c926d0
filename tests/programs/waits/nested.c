/* SPDX-License-Identifier: Apache-2.0 */
/* An inner team at its barrier, while the outer one waits for a critical. */
#include "waits.h"

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            AWAIT_READY();
            WAIT("critical", NULL, "outer", 2);
        }
#pragma omp critical(outer)
        {
            READY();
#pragma omp parallel num_threads(2)
            {
                if (omp_get_thread_num() == 1)
                    waits_lead(2);
                WAIT("explicit barrier", NULL, NULL, 1);
#pragma omp barrier
            }
        }
    }
    return 0;
}
