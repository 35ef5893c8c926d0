/* SPDX-License-Identifier: Apache-2.0 */
/* Only one member of a team begins an inner region; the others stay outside. */
#include "truth.h"

#include <omp.h>

static void inner_region(int size, int others) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(size)
    {
        truth_begin(region);
        if (omp_get_thread_num() == size - 1)
            truth_lead(others);
        else
            truth_hold();
        truth_end(region);
    }
}

int main(void) {
    omp_set_max_active_levels(2);
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(4)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 2)
            inner_region(3, 5);
        else
            truth_hold();
        truth_end(region);
    }
    return 0;
}
