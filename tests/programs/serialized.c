/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of one thread, in every mixture with active ones and with tasks. */
#include "truth.h"

#include <omp.h>

static void lead_alone_or_together(int others) {
    if (omp_get_ancestor_thread_num(1) <= 0 && omp_get_ancestor_thread_num(2) <= 0)
        truth_lead(others);
    else
        truth_hold();
}

static void one_thread_three_deep(int others) {
    const int outer = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(1)
    {
        truth_begin(outer);
        lead_alone_or_together(others);
        const int middle = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(1)
        {
            truth_begin(middle);
            lead_alone_or_together(others);
            const int inner = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(1)
            {
                truth_begin(inner);
                lead_alone_or_together(others);
                truth_end(inner);
            }
            truth_end(middle);
        }
        truth_end(outer);
    }
}

static void by_if_clause(int wanted) {
    const int outer = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel if (wanted)
    {
        truth_begin(outer);
        const int inner = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel if (wanted)
        {
            truth_begin(inner);
            truth_lead(0);
            truth_end(inner);
        }
        truth_end(outer);
    }
}

static void active_between(void) {
    const int outer = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(1)
    {
        truth_begin(outer);
        const int active = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
        {
            truth_begin(active);
            const int inner = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(1)
            {
                truth_begin(inner);
                lead_alone_or_together(1);
                truth_end(inner);
            }
            truth_end(active);
        }
        truth_end(outer);
    }
}

static void serialized_by_level_limit(void) {
    omp_set_max_active_levels(1);
    const int active = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(active);
        one_thread_three_deep(1);
        truth_end(active);
    }
}

static void tasks_inside(void) {
    const int outer = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(1)
    {
        truth_begin(outer);
        const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(1)
        {
            truth_begin(region);
            const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task
            {
                truth_begin(task);
                truth_lead(0);
                const int inside = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(1)
                {
                    truth_begin(inside);
                    truth_lead(0);
                    truth_end(inside);
                }
                truth_end(task);
            }
            truth_end(region);
        }
        truth_end(outer);
    }
}

int main(void) {
    one_thread_three_deep(0);
    by_if_clause(0);
    omp_set_max_active_levels(4);
    active_between();
    serialized_by_level_limit();
    tasks_inside();
    return 0;
}
