/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that tasks begin, and tasks of those regions. */
#include "truth.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

static void region_of(int size, int others) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(size)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 0)
            truth_lead(others);
        else
            truth_hold();
        truth_end(region);
    }
}

static void task_in_region_in_task(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 0) {
            const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task if (0)
            {
                truth_begin(task);
                truth_lead(2);
                truth_end(task);
            }
        } else {
            truth_hold();
        }
        truth_end(region);
    }
}

/* Thread 1 of the outer team holds through every stop, so that thread 0 runs the task. */
static void in_a_task(void (*body)(void)) {
    static atomic_int member_ready;
    atomic_store(&member_ready, 0);
    const int outer = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(outer);
        if (omp_get_thread_num() == 0) {
            while (!atomic_load(&member_ready)) sched_yield();
            const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task
            {
                truth_begin(task);
                body();
                truth_end(task);
            }
#pragma omp taskwait
        } else {
            atomic_store(&member_ready, 1);
            truth_hold();
        }
        truth_end(outer);
    }
}

static void active_region(void) {
    region_of(3, 3);
}

static void serialized_region(void) {
    region_of(1, 1);
}

/* A task of the initial thread's implicit region, outside every parallel region. */
static void orphaned_task(void) {
    const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task
    {
        truth_begin(task);
        truth_lead(0);
        region_of(2, 1);
        truth_end(task);
    }
}

int main(void) {
    omp_set_max_active_levels(3);
    in_a_task(active_region);
    in_a_task(serialized_region);
    in_a_task(task_in_region_in_task);
    orphaned_task();
    region_of(2, 1); /* the task that began the last region of this team is gone */
    return 0;
}
