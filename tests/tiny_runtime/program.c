/* SPDX-License-Identifier: Apache-2.0 */
/* A program on the tiny runtime: nested teams, tasks, locks and idle workers, with its truth. */
#include "omp.h"
#include "truth.h"

#include <sched.h>
#include <stdatomic.h>

/* A construct's body is a function here, and its place is that function's. */
#define BODY(name)              \
    enum { name##_line = __LINE__ }; \
    static void name(void *unused)
#define NEXT(kind, name) truth_construct((kind), __FILE__, name##_line, #name)

/* The runtime has a variable of this name, too. */
int tiny_shadowed = 1;

static omp_lock_t gate;
static int outer, inner, explicit_task;

/* The thread in the task has the lock; it leads. */
BODY(task_of_inner) {
    (void)unused;
    truth_begin(explicit_task);
    truth_lead(3);
    truth_end(explicit_task);
}

BODY(inner_body) {
    (void)unused;
    static atomic_int is_locked;
    truth_begin(inner);
    if (omp_get_thread_num() == 0) {
        omp_set_lock(&gate);
        atomic_store(&is_locked, 1);
        explicit_task = NEXT(TRUTH_TASK, task_of_inner);
        tiny_task(task_of_inner, 0, TINY_UNDEFERRED);
        omp_unset_lock(&gate);
    } else {
        while (!atomic_load(&is_locked)) sched_yield();
        TRUTH_WAITS("wait_lock", 1);
        omp_set_lock(&gate);
        omp_unset_lock(&gate);
    }
    truth_end(inner);
}

BODY(outer_body) {
    (void)unused;
    truth_begin(outer);
    if (omp_get_thread_num() == 0) {
        TRUTH_WAITS("wait_barrier_explicit", 1);
        tiny_barrier();
    } else if (omp_get_thread_num() == 1) {
        omp_set_num_threads(5);
        inner = NEXT(TRUTH_PARALLEL, inner_body);
        tiny_parallel(inner_body, 0, 2);
        tiny_barrier();
    } else {
        truth_hold();
        tiny_barrier();
    }
    truth_end(outer);
}

/* A task that the barrier of another thread than its maker's executes. */
BODY(stolen_task) {
    (void)unused;
    truth_begin(explicit_task);
    truth_lead(1);
    truth_end(explicit_task);
}

BODY(stealing_body) {
    (void)unused;
    static atomic_int is_made;
    truth_begin(outer);
    if (omp_get_thread_num() == 0) {
        explicit_task = NEXT(TRUTH_TASK, stolen_task);
        tiny_task(stolen_task, 0, 0);
        atomic_store(&is_made, 1);
        truth_hold();
    } else {
        while (!atomic_load(&is_made)) sched_yield();
    }
    tiny_barrier();
    truth_end(outer);
}

/* A final task, and one of its own, which is executed at once. */
static int included;

BODY(included_task) {
    (void)unused;
    truth_begin(included);
    truth_lead(0);
    truth_end(included);
}

BODY(final_task) {
    (void)unused;
    truth_begin(explicit_task);
    included = NEXT(TRUTH_TASK, included_task);
    tiny_task(included_task, 0, 0);
    truth_end(explicit_task);
}

BODY(serialized_body) {
    (void)unused;
    truth_begin(outer);
    explicit_task = NEXT(TRUTH_TASK, final_task);
    tiny_task(final_task, 0, TINY_FINAL);
    tiny_taskwait();
    truth_end(outer);
}

int main(void) {
    omp_init_lock(&gate);
    omp_set_schedule(omp_sched_guided, 7);
    truth_lead(0);
    outer = NEXT(TRUTH_PARALLEL, outer_body);
    tiny_parallel(outer_body, 0, 3);
    outer = NEXT(TRUTH_PARALLEL, stealing_body);
    tiny_parallel(stealing_body, 0, 2);
    outer = NEXT(TRUTH_PARALLEL, serialized_body);
    tiny_parallel(serialized_body, 0, 1);
    return tiny_shadowed - 1;
}
