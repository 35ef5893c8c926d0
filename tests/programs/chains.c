/* SPDX-License-Identifier: Apache-2.0 */
/* Regions and tasks three deep, also where one thread's task was made by another's.
   Each thread writes down by which functions and constructs its code was reached. */
#define _GNU_SOURCE
#include "truth.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEEPEST = 32, THREADS = 16 };

struct chain {
    int length;
    const char *entry[DEEPEST];
};

/* For the debugger: what each thread reached last, by its LWP; stop is the number of
   the stop that it is for. */
struct {
    int lwp, stop;
    struct chain chain;
} recorded[THREADS];
int current_stop = 1;

static _Thread_local struct chain here;
static _Thread_local int slot = -1;
static atomic_int slots;

static void reach(const char *what) {
    here.entry[here.length++] = what;
}

static void record(void) {
    if (slot < 0)
        slot = atomic_fetch_add(&slots, 1);
    recorded[slot].chain = here;
    recorded[slot].lwp = (int)syscall(SYS_gettid);
    recorded[slot].stop = current_stop;
}

/* A function's frame is left only when its callee has returned: no tail calls. */
#define ENTER() reach(__func__)
#define LEAVE() here.length--

/* The body of a construct, which was reached by what OUTER says. */
#define BEGIN(kind, outer)                                                                         \
    const struct chain left = here;                                                                \
    here = (outer);                                                                                \
    reach(kind);                                                                                   \
    reach(__func__)
#define END() here = left

static void next_stop(int others) {
    if (others > 0)
        truth_lead(others);
    else
        truth_stop();
    current_stop++;
}

static int leads(void) {
    for (int level = 1; level <= omp_get_level(); level++)
        if (omp_get_ancestor_thread_num(level) != 0)
            return 0;
    return 1;
}

static void third(void) {
    ENTER();
    const struct chain outer = here;
#pragma omp parallel num_threads(2)
    {
        BEGIN("region", outer);
        record();
        if (leads())
            next_stop(7);
        else
            truth_hold();
        END();
    }
    LEAVE();
}

static void second(void) {
    ENTER();
    const struct chain outer = here;
#pragma omp parallel num_threads(2)
    {
        BEGIN("region", outer);
        third();
        END();
    }
    LEAVE();
}

static void regions(void) {
    ENTER();
    const struct chain outer = here;
#pragma omp parallel num_threads(2)
    {
        BEGIN("region", outer);
        second();
        END();
    }
    LEAVE();
}

static atomic_int begun;

/* Two threads execute tasks in turn: each makes one, waits until the other thread has
   begun it, and then for its end, in which it takes the next one. */
static void hand_over(int tasks) {
    ENTER();
    record();
    const struct chain outer = here;
#pragma omp task firstprivate(outer, tasks)
    {
        BEGIN("task", outer);
        record();
        atomic_fetch_add(&begun, 1);
        if (tasks == 1)
            next_stop(0);
        else
            hand_over(tasks - 1);
        END();
    }
    const int other_begins = 4 - tasks;
    while (atomic_load(&begun) < other_begins)
        sched_yield();
#pragma omp taskwait
    LEAVE();
}

static void tasks_of_two_threads(void) {
    ENTER();
    const struct chain outer = here;
#pragma omp parallel num_threads(2)
    {
        BEGIN("region", outer);
        if (omp_get_thread_num() == 0)
            hand_over(3);
        END();
    }
    LEAVE();
}

static void one_thread(int wanted) {
    ENTER();
    const struct chain outer = here;
#pragma omp parallel num_threads(1)
    {
        BEGIN("region", outer);
        const struct chain in_region = here;
#pragma omp task if (wanted) shared(in_region)
        {
            BEGIN("task", in_region);
            const struct chain in_task = here;
#pragma omp parallel if (wanted)
            {
                BEGIN("region", in_task);
                record();
                next_stop(0);
                END();
            }
            END();
        }
        END();
    }
    LEAVE();
}

int main(void) {
    ENTER();
    omp_set_max_active_levels(3);
    regions();
    tasks_of_two_threads();
    one_thread(0);
    return 0;
}
