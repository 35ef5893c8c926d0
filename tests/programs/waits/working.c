/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait for nothing of OpenMP. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            waits_lead(2);
        waits_hold();
    }
    return 0;
}
