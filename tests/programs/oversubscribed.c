/* SPDX-License-Identifier: Apache-2.0 */
/* Sixty-four threads: many more than a test machine's processors. */
#include "truth.h"

#include <omp.h>

int main(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(64)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 17)
            truth_lead(63);
        else
            truth_hold();
        truth_end(region);
    }
    return 0;
}
