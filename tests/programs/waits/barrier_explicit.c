/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads at an explicit barrier. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            waits_lead(2);
        WAIT("explicit barrier", NULL, NULL, 1);
#pragma omp barrier
    }
    return 0;
}
