/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that nobody needs: a large team, then a small one, then none. */
#include "truth.h"

#include <omp.h>

static void region_of(int size) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(size)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 0)
            truth_lead(size - 1);
        else
            truth_hold();
        truth_end(region);
    }
}

int main(void) {
    truth_lead(0);
    region_of(6);
    truth_lead(0);
    region_of(3);
    truth_lead(0);
    region_of(1);
    region_of(5);
    truth_lead(0);
    return 0;
}
