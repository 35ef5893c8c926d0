/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a parallel region. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 2)
            waits_lead(3);
        waits_record("end-of-region barrier", NULL, NULL, 0);
    }
    return 0;
}
