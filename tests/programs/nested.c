/* SPDX-License-Identifier: Apache-2.0 */
/* Regions three deep, 2 x 2 x 2, begun by three functions. */
#include "truth.h"

#include <omp.h>

static void record_and_stop(int others) {
    if (omp_get_ancestor_thread_num(1) == 0 && omp_get_ancestor_thread_num(2) <= 0 &&
        omp_get_ancestor_thread_num(3) <= 0)
        truth_lead(others);
    else
        truth_hold();
}

static void innermost(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(region);
        record_and_stop(7);
        truth_end(region);
    }
}

static void middle(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(region);
        record_and_stop(3);
        innermost();
        record_and_stop(3);
        truth_end(region);
    }
}

int main(void) {
    omp_set_max_active_levels(3);
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(region);
        middle();
        record_and_stop(1);
        truth_end(region);
    }
    truth_lead(0);
    return 0;
}
