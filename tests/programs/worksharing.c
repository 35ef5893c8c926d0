/* SPDX-License-Identifier: Apache-2.0 */
/* Stops inside single, sections, for, masked-like code and taskloop. */
#include "truth.h"

#include <omp.h>
#include <stdatomic.h>

/* Each call of a round is another thread's: the first leads, the others hold. */
static void lead_or_hold(atomic_int *arrived, int others) {
    if (atomic_fetch_add(arrived, 1) == 0)
        truth_lead(others);
    else
        truth_hold();
}

static void in_single(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(3)
    {
        truth_begin(region);
        static atomic_int arrived;
#pragma omp single nowait
        lead_or_hold(&arrived, 2);
        if (atomic_load(&arrived) < 3) lead_or_hold(&arrived, 2);
        truth_end(region);
    }
}

static void in_sections(void) {
    static atomic_int arrived;
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(3)
    {
        truth_begin(region);
#pragma omp sections
        {
#pragma omp section
            lead_or_hold(&arrived, 2);
#pragma omp section
            lead_or_hold(&arrived, 2);
#pragma omp section
            lead_or_hold(&arrived, 2);
        }
        truth_end(region);
    }
}

static void in_loops(void) {
    static atomic_int arrived_static, arrived_dynamic;
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(4)
    {
        truth_begin(region);
#pragma omp for schedule(static)
        for (int i = 0; i < 4; i++) lead_or_hold(&arrived_static, 3);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 4; i++) lead_or_hold(&arrived_dynamic, 3);
        truth_end(region);
    }
}

static void in_combined_loop(void) {
    static atomic_int arrived;
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel for num_threads(3) schedule(static)
    for (int i = 0; i < 3; i++) {
        truth_begin(region);
        lead_or_hold(&arrived, 2);
        truth_end(region);
    }
}

static void in_taskloop(void) {
    static atomic_int arrived;
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(3)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 0) {
            const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp taskloop grainsize(1)
            for (int i = 0; i < 3; i++) {
                truth_begin(task);
                lead_or_hold(&arrived, 2);
                truth_end(task);
            }
        }
        truth_end(region);
    }
}

int main(void) {
    in_single();
    in_sections();
    in_loops();
    in_combined_loop();
    in_taskloop();
    return 0;
}
