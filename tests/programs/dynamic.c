/* SPDX-License-Identifier: Apache-2.0 */
/* A team whose size the runtime may choose. */
#include "truth.h"

#include <omp.h>
#include <stdatomic.h>

int main(void) {
    omp_set_dynamic(1);
    static atomic_int arrived;
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(8)
    {
        truth_begin(region);
        if (atomic_fetch_add(&arrived, 1) == 0)
            truth_lead(omp_get_num_threads() - 1);
        else
            truth_hold();
        truth_end(region);
    }
    truth_lead(0);
    return 0;
}
