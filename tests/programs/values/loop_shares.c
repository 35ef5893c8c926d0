/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of many kinds: in each the threads wait for each other in one of their iterations, and the
   program tells which iterations each thread has executed, now executes and will execute. */
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

enum { SIZE = 3, MOST = 64 };

int now[SIZE];                     /* the iteration that a thread is in, from 0 on */
int owner[MOST], begun[MOST];      /* by iteration: who executes it, and whether it has begun */
static atomic_int arrived, let_go; /* threads in the iteration in which they wait */
static int times[SIZE], which;     /* it is the which-th of each */

/* All threads wait in the loop, whose variable begins with FIRST. */
__attribute__((noinline)) void all_there(const char *kind, long first, long step)
{
    __asm__ volatile("" : : "r"(kind), "r"(first), "r"(step) : "memory");
}

__attribute__((noinline)) void all_done(void) { __asm__ volatile("" : : : "memory"); }

static void begin(int waits_in)
{
    which = waits_in;
    for (int i = 0; i < MOST; i++)
        owner[i] = -1, begun[i] = 0;
    for (int i = 0; i < SIZE; i++)
        times[i] = 0;
    arrived = let_go = 0;
}

__attribute__((noinline)) static void work(const char *kind, long iteration, long first, long step)
{
    int own = omp_get_thread_num();
    now[own] = (int)iteration;
    owner[iteration] = own;
    begun[iteration] = 1;
    if (++times[own] != which)
        return;
    arrived++;
    while (arrived < SIZE)
        sched_yield();
    if (own == 0) {
        all_there(kind, first, step);
        let_go = 1;
    }
    while (!let_go)
        sched_yield();
}

#define LOOP(name, clauses, declared, condition, change, iteration, first, step)                    \
    static void name(int n)                                                                        \
    {                                                                                              \
        begin(2);                                                                                  \
        _Pragma(clauses) for (declared; condition; change)                                         \
            work(#name, iteration, first, step);                                                   \
        all_done();                                                                                \
    }

#define UP int i = 0, i < n, i++, i, 0, 1
#define MAKE(...) LOOP(__VA_ARGS__)

MAKE(plain, "omp parallel for num_threads(SIZE) schedule(static)", UP)
MAKE(long_chunks, "omp parallel for num_threads(SIZE) schedule(static, 9)", UP)
MAKE(dynamic, "omp parallel for num_threads(SIZE) schedule(dynamic, 2)", UP)
MAKE(monotonic, "omp parallel for num_threads(SIZE) schedule(monotonic: dynamic, 3)", UP)
MAKE(guided, "omp parallel for num_threads(SIZE) schedule(guided, 2)", UP)
MAKE(at_run_time, "omp parallel for num_threads(SIZE) schedule(runtime)", UP)
MAKE(by_three, "omp parallel for num_threads(SIZE) schedule(monotonic: dynamic, 2)", long i = 5,
     i < 5 + 3 * n, i += 3, (i - 5) / 3, 5, 3)
MAKE(down, "omp parallel for num_threads(SIZE) schedule(dynamic, 2)", int i = n, i > 0, i--, n - i, n, -1)
MAKE(without_sign, "omp parallel for num_threads(SIZE) schedule(monotonic: dynamic, 2)",
     unsigned long i = 7, i < 7 + (unsigned long)n, i++, (long)(i - 7), 7, 1)

static void chunks(int n)
{
    begin(3);
#pragma omp parallel for num_threads(SIZE) schedule(static, 2)
    for (int i = 0; i < n; i++)
        work("chunks", i, 0, 1);
    all_done();
}

static void ordered(int n)
{
    begin(1);
#pragma omp parallel for num_threads(SIZE) ordered schedule(monotonic: dynamic, 1)
    for (int i = 0; i < n; i++) {
        work("ordered", i, 0, 1);
#pragma omp ordered
        __asm__ volatile("" : : : "memory");
    }
    all_done();
}

static void collapsed(int n)
{
    begin(2);
#pragma omp parallel for num_threads(SIZE) collapse(2) schedule(monotonic: dynamic, 2)
    for (int i = 0; i < n / 4; i++)
        for (int j = 0; j < 4; j++)
            work("collapsed", 4 * i + j, 0, 1);
    all_done();
}

static void inside(int n)
{
    begin(2);
#pragma omp parallel num_threads(SIZE)
    {
#pragma omp for nowait schedule(dynamic)
        for (int i = 0; i < n; i++)
            __asm__ volatile("" : : : "memory");
#pragma omp for schedule(monotonic: dynamic, 2)
        for (int i = 0; i < n; i++)
            work("inside", i, 0, 1);
    }
    all_done();
}

int main(int argc, char **argv)
{
    int n = argc * 24;
    (void)argv;
    omp_set_schedule(omp_sched_dynamic, 2);
    plain(n);
    long_chunks(n);
    chunks(n);
    dynamic(n);
    monotonic(n);
    guided(n);
    at_run_time(n);
    by_three(n);
    down(n);
    without_sign(n);
    ordered(n);
    collapsed(n);
    inside(n);
    return 0;
}
