/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that are created and that no thread executes: each phase says how many are where
 * and from which lines, then calls deferred_stop(), where gdb breaks.
 *
 * The other threads spin in the program's own code, so nothing is taken from a queue.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { MAX_ROWS = 16 };

/* COUNT tasks of the construct at LINE, created by the construct at CREATOR. */
struct row {
    const char *where;
    int line;
    int creator;
    int count;
};

/* The debugger reads these three. */
static const char *deferred_phase;
static struct row deferred_rows[MAX_ROWS];
static int deferred_count;

static atomic_int go, begun;

/* Of LLVM's runtime alone. GCC's executes tasks at once where many are queued; LLVM's does
 * not know GCC's detach clause. */
extern void __kmpc_barrier(void *, int) __attribute__((weak));
#define IS_LLVMS (&__kmpc_barrier != 0)

/* The line of the construct that follows. */
#define NEXT (__LINE__ + 1)

static void expect(const char *where, int line, int creator, int count) {
    deferred_rows[deferred_count++] = (struct row){where, line, creator, count};
}

static __attribute__((noinline)) void deferred_stop(void) {
    printf("%s\n", deferred_phase);
    for (int i = 0; i < deferred_count; i++)
        printf("  %d %s at %d by %d\n", deferred_rows[i].count, deferred_rows[i].where,
               deferred_rows[i].line, deferred_rows[i].creator);
    fflush(stdout);
}

static __attribute__((noinline)) void stop(const char *phase) {
    deferred_phase = phase;
    deferred_stop();
    deferred_count = 0;
}

static void await(atomic_int *what, int value) {
    while (atomic_load(what) < value)
        sched_yield();
}

static void reset(void) {
    atomic_store(&go, 0);
    atomic_store(&begun, 0);
}

static __attribute__((noinline)) void work(int n) { atomic_fetch_add(&begun, n > 0); }

static void queued(void) {
    reset();
    const int region = NEXT;
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            const int first = NEXT + 1;
            for (int i = 0; i < 5; i++)
#pragma omp task firstprivate(i)
                work(i);
            await(&go, 1);
            expect("queued", first, region, 5);
            stop("queued");
            atomic_store(&go, 2);
        } else if (omp_get_thread_num() == 1) {
            const int second = NEXT + 1;
            for (int i = 0; i < 3; i++)
#pragma omp task firstprivate(i) untied
                work(i);
            expect("queued", second, region, 3);
            atomic_store(&go, 1);
        }
        await(&go, 2);
    }
}

static void more_than_a_queue_begins_with(void) {
    reset();
    const int region = NEXT;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            const int line = NEXT + 1;
            for (int i = 0; i < 1000; i++)
#pragma omp task firstprivate(i)
                work(i);
            expect("queued", line, region, 1000 - atomic_load(&begun));
            stop("many");
            atomic_store(&go, 1);
        }
        await(&go, 1);
    }
}

static void dependences(void) {
    int x = 0, y = 0;
    (void)x, (void)y; /* GCC does not count dependences as uses */
    reset();
    const int region = NEXT;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            const int chain = NEXT + 1;
            for (int i = 0; i < 6; i++)
#pragma omp task firstprivate(i) depend(inout : x)
                work(i);
            const int writer = NEXT;
#pragma omp task depend(out : y)
            work(1);
            const int reader = NEXT + 1;
            for (int i = 0; i < 4; i++)
#pragma omp task firstprivate(i) depend(in : y)
                work(i);
            const int both = NEXT;
#pragma omp task depend(inout : x, y)
            work(2);
            expect("queued", chain, region, 1);
            expect("blocked on dependences", chain, region, 5);
            expect("queued", writer, region, 1);
            expect("blocked on dependences", reader, region, 4);
            expect("blocked on dependences", both, region, 1);
            stop("dependences");
            atomic_store(&go, 1);
        }
        await(&go, 1);
    }
}

/* The other thread executes the first of the chain, which is in no queue then. */
static void predecessor_runs(void) {
    int x = 0;
    (void)x;
    reset();
    const int region = NEXT;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp task depend(inout : x)
            {
                atomic_store(&begun, 1);
                await(&go, 1);
            }
            const int chain = NEXT + 1;
            for (int i = 0; i < 3; i++)
#pragma omp task firstprivate(i) depend(inout : x)
                work(i);
            await(&begun, 1);
            expect("blocked on dependences", chain, region, 3);
            stop("predecessor runs");
            atomic_store(&go, 1);
        }
    }
}

static int nested_line;

static void nested(int depth, int creator) {
    nested_line = NEXT;
#pragma omp task firstprivate(depth)
    {
        if (depth == 0) {
            const int queued = NEXT;
#pragma omp task
            work(1);
            expect("queued", queued, nested_line, 1);
            stop("suspended");
            atomic_store(&go, 1);
        } else {
            nested(depth - 1, nested_line);
        }
    }
    if (depth > 0)
        expect("suspended", nested_line, creator, 1);
#pragma omp taskwait
}

/* Each task waits for the one that it has generated. */
static void suspended(void) {
    reset();
    const int region = NEXT;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            nested(3, region);
        await(&go, 1);
    }
}

static void undeferred(void) {
    reset();
    const int region = NEXT;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            const int outer = NEXT;
#pragma omp task if (0)
            {
#pragma omp task if (0)
                {
                    expect("suspended", outer, region, 1);
                    stop("undeferred");
                }
            }
            atomic_store(&go, 1);
        }
        await(&go, 1);
    }
}

static void loop(void) {
    reset();
    const int region = NEXT;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            const int line = NEXT;
#pragma omp taskloop num_tasks(20) nogroup
            for (int i = 0; i < 60; i++)
                work(i);
            expect("queued", line, region, 20);
            stop("taskloop");
            atomic_store(&go, 1);
        }
        await(&go, 1);
    }
}

/* So many are divided by tasks of the runtime's own, some of which are executed. */
static void divided_loop(void) {
    reset();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            const int line = NEXT;
#pragma omp taskloop num_tasks(600) nogroup
            for (int i = 0; i < 600; i++)
                work(i);
            expect("queued", line, 0, 0);
            stop("divided taskloop");
            atomic_store(&go, 1);
        }
        await(&go, 1);
    }
}

static void priorities(void) {
    reset();
    const int region = NEXT;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            const int low = NEXT + 1;
            for (int i = 0; i < 3; i++)
#pragma omp task firstprivate(i) priority(1)
                work(i);
            const int high = NEXT + 1;
            for (int i = 0; i < 4; i++)
#pragma omp task firstprivate(i) priority(7)
                work(i);
            expect("queued", low, region, 3);
            expect("queued", high, region, 4);
            stop("priorities");
            atomic_store(&go, 1);
        }
        await(&go, 1);
    }
}

/* The task that begins the inner region is suspended while that lasts. */
static void inner_region(void) {
    reset();
    const int outer = NEXT;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            const int waiting = NEXT + 1;
            for (int i = 0; i < 2; i++)
#pragma omp task firstprivate(i)
                work(i);
            const int beginner = NEXT;
#pragma omp task if (0)
            {
                work(1);
                const int inner = NEXT;
#pragma omp parallel num_threads(2)
                {
                    if (omp_get_thread_num() == 0) {
                        const int inside = NEXT + 1;
                        for (int i = 0; i < 3; i++)
#pragma omp task firstprivate(i)
                            work(i);
                        expect("queued", waiting, outer, 2);
                        expect("suspended", beginner, outer, 1);
                        expect("queued", inside, inner, 3);
                        stop("inner region");
                        atomic_store(&go, 1);
                    }
                    await(&go, 1);
                }
            }
        }
        await(&go, 1);
    }
}

/* LLVM's runtime executes the tasks of a region of one thread at once. */
static void serialized(void) {
    reset();
    const int region = NEXT;
#pragma omp parallel num_threads(1)
    {
        const int line = NEXT + 1;
        for (int i = 0; i < 3; i++)
#pragma omp task firstprivate(i)
            work(i);
        if (atomic_load(&begun) == 0)
            expect("queued", line, region, 3);
        stop("serialized");
    }
}

#if defined(__clang__) || __GNUC__ >= 11
/* The other thread executes them at the barrier. One of them has a successor, and of one the task
   that generated it has ended. */
static void detached(void) {
    omp_event_handle_t events[5];
    int x = 0;
    (void)x;
    reset();
    const int region = NEXT;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            const int alone = NEXT + 2;
            for (int i = 0; i < 3; i++) {
                omp_event_handle_t event;
#pragma omp task detach(event)
                work(1);
                events[i] = event;
            }
            omp_event_handle_t last;
            const int before = NEXT;
#pragma omp task detach(last) depend(out : x)
            work(1);
            events[3] = last;
            const int after = NEXT;
#pragma omp task depend(in : x)
            work(1);
            const int parent = NEXT;
#pragma omp task shared(events)
            {
                omp_event_handle_t event;
#pragma omp task detach(event)
                work(1);
                events[4] = event;
            }
            await(&begun, 5);
            for (int i = 0; i < 2000; i++)
                sched_yield();
            if (IS_LLVMS) /* GCC's counts it alone */
                expect("detached", parent + 3, parent, 1);
            expect("detached", alone, region, 3);
            expect("detached", before, region, 1);
            expect("blocked on dependences", after, region, 1);
            stop("detached");
            for (int i = 0; i < 5; i++)
                omp_fulfill_event(events[i]);
        }
    }
}
#endif

int main(void) {
    omp_set_max_active_levels(2);
    queued();
    more_than_a_queue_begins_with();
    dependences();
    predecessor_runs();
    suspended();
    undeferred();
    loop();
    if (IS_LLVMS)
        divided_loop();
    priorities();
    inner_region();
    serialized();
#ifdef __clang__
    detached();
#elif __GNUC__ >= 11
    if (!IS_LLVMS)
        detached();
#endif
#pragma omp parallel num_threads(2)
#pragma omp single
    stop("none");
    return 0;
}
