/* SPDX-License-Identifier: Apache-2.0 */
/* Two workers are left over by a smaller region. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(4)
    atomic_fetch_add(&waits_ready, 1);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            waits_lead(1);
        WAIT("explicit barrier", NULL, NULL, 1);
#pragma omp barrier
    }
    return 0;
}
