/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier at which the region could be cancelled. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            waits_lead(2);
        if (atomic_load(&waits_ready)) {
#pragma omp cancel parallel
        }
        WAIT("explicit barrier", NULL, NULL, 1);
#pragma omp barrier
    }
    return 0;
}
