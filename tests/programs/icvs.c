/* SPDX-License-Identifier: Apache-2.0 */
/* ICVs that differ from task to task. */
#include "truth.h"

#include <omp.h>

static void set_some(int seed) {
    static const omp_sched_t schedules[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                            omp_sched_auto};
    omp_set_num_threads(2 + seed);
    omp_set_dynamic(seed % 2);
    omp_set_schedule(schedules[seed % 4], 4 + seed);
    omp_set_max_active_levels(1 + seed);
    omp_set_default_device(seed);
}

static void differing_members(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(4)
    {
        truth_begin(region);
        if (omp_get_thread_num() > 0) set_some(omp_get_thread_num());
#pragma omp barrier /* libgomp of GCC 10 has one max-active-levels-var for all */
        if (omp_get_thread_num() == 3)
            truth_lead(3);
        else
            truth_hold();
        truth_end(region);
    }
}

static void differing_tasks(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(1)
    {
        truth_begin(region);
        set_some(1);
        const int outer = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task
        {
            truth_begin(outer);
            set_some(2);
            const int inner = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task if (0)
            {
                truth_begin(inner);
                set_some(3);
                truth_lead(0);
                truth_end(inner);
            }
            truth_lead(0);
            truth_end(outer);
        }
        truth_lead(0);
        truth_end(region);
    }
}

static void inherited(void) {
    const int outer = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(outer);
        set_some(2); /* the team's size must be certain: dyn-var is false */
        const int inner = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2) proc_bind(close)
        {
            truth_begin(inner);
            if (omp_get_ancestor_thread_num(1) == 0 && omp_get_thread_num() == 0)
                truth_lead(3);
            else
                truth_hold();
            truth_end(inner);
        }
        truth_end(outer);
    }
}

int main(void) {
    truth_lead(0);
    differing_members();
    differing_tasks();
    omp_set_max_active_levels(2);
    inherited();
    set_some(2);
    truth_lead(0);
    return 0;
}
