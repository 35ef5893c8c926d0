/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait in the runtime, each in its own way. */
#include "truth.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

static void at_barrier(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(4)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 1)
            truth_lead(3);
        else
            TRUTH_WAITS("wait_barrier_explicit", 1);
#pragma omp barrier
        truth_end(region);
    }
}

static void primary_leads_barrier(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(3)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 0)
            truth_lead(2);
        else
            TRUTH_WAITS("wait_barrier_explicit", 1);
#pragma omp barrier
        truth_end(region);
    }
}

static void at_end_of_region(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(3)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 0)
            truth_lead(2);
        else
            truth_waits("wait_barrier_implicit_parallel", 0, "");
        truth_end(region);
    }
}

static void at_end_of_single(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(3)
    {
        truth_begin(region);
        static atomic_int entered;
        if (omp_get_thread_num() != 2) {
            while (!atomic_load(&entered)) sched_yield();
            truth_waits("wait_barrier_implicit_workshare", 0, __func__);
        }
#pragma omp single
        {
            atomic_store(&entered, 1);
            truth_lead(2);
        }
        truth_end(region);
    }
}

static void at_critical(void) {
    static atomic_int inside;
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(3)
    {
        truth_begin(region);
        if (omp_get_thread_num() != 1) {
            while (!atomic_load(&inside)) sched_yield();
            TRUTH_WAITS("wait_critical", 2);
        }
#pragma omp critical(gate)
        if (omp_get_thread_num() == 1) {
            atomic_store(&inside, 1);
            truth_lead(2);
        }
        truth_end(region);
    }
}

static void at_lock(void) {
    static atomic_int inside;
    omp_lock_t lock;
    omp_init_lock(&lock);
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 1) {
            while (!atomic_load(&inside)) sched_yield();
            TRUTH_WAITS("wait_lock", 1);
            omp_set_lock(&lock);
        } else {
            omp_set_lock(&lock);
            atomic_store(&inside, 1);
            truth_lead(1);
        }
        omp_unset_lock(&lock);
        truth_end(region);
    }
    omp_destroy_lock(&lock);
}

/* The child runs on the other thread, and the parent waits for it. */
static void at_taskgroup_end(void) {
    static atomic_int child_began;
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 0) {
#pragma omp taskgroup
            {
                const int task = TRUTH_NEXT(TRUTH_TASK);
#pragma omp task
                {
                    truth_begin(task);
                    atomic_store(&child_began, 1);
                    truth_lead(1);
                    truth_end(task);
                }
                while (!atomic_load(&child_began)) sched_yield();
                truth_waits("wait_taskgroup", 0, __func__);
            }
        }
        truth_end(region);
    }
}

int main(void) {
    at_barrier();
    primary_leads_barrier();
    at_end_of_region();
    at_end_of_single();
    at_critical();
    at_lock();
    at_taskgroup_end();
    return 0;
}
