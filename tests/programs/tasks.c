/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that make tasks and wait for them, and the ways to make one. */
#include "truth.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

static void recurse(int depth) {
    const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task firstprivate(depth)
    {
        truth_begin(task);
        if (depth == 0)
            truth_lead(1);
        else
            recurse(depth - 1);
        truth_end(task);
    }
#pragma omp taskwait
}

/* The other thread holds in its implicit task, so that one thread runs all. */
static void suspended_parents(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 0)
            recurse(3);
        else
            truth_hold();
        truth_end(region);
    }
}

static void one_task_each(void) {
    static atomic_int begun;
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(3)
    {
        truth_begin(region);
        const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task
        {
            truth_begin(task);
            if (atomic_fetch_add(&begun, 1) == 0)
                truth_lead(2);
            else
                truth_hold();
            truth_end(task);
        }
        truth_end(region);
    }
}

static void waits_for_child(void) {
    static atomic_int child_began;
    atomic_store(&child_began, 0);
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 0) {
            const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task
            {
                truth_begin(task);
                atomic_store(&child_began, 1);
                truth_lead(1);
                truth_end(task);
            }
            while (!atomic_load(&child_began)) sched_yield();
            TRUTH_WAITS("wait_taskwait", 1);
#pragma omp taskwait
        }
        truth_end(region);
    }
}

static void undeferred(int wanted) {
    const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task if (wanted) mergeable
    {
        truth_begin(task);
        truth_lead(1);
        truth_end(task);
    }
}

static void final_task(void) {
    const int outer = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task final(1)
    {
        truth_begin(outer);
        const int included = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task
        {
            truth_begin(included);
            truth_lead(1);
            truth_end(included);
        }
        truth_lead(1);
        truth_end(outer);
    }
#pragma omp taskwait
}

static void untied_task(void) {
    const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task untied
    {
        truth_begin(task);
        truth_lead(1);
        truth_end(task);
    }
#pragma omp taskwait
}

/* The other member holds for all STOPS, so that it takes none of the tasks. */
static void by_one_member(void (*body)(void), int stops) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 0) {
            const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task if (0)
            {
                truth_begin(task);
                body();
                truth_end(task);
            }
        } else {
            for (int stop = 0; stop < stops; stop++) truth_hold();
        }
        truth_end(region);
    }
}

static void undeferred_body(void) {
    undeferred(0);
}

int main(void) {
    suspended_parents();
    one_task_each();
    waits_for_child();
    by_one_member(undeferred_body, 1);
    by_one_member(final_task, 2);
    by_one_member(untied_task, 1);
    return 0;
}
