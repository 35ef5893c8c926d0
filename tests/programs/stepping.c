/* SPDX-License-Identifier: Apache-2.0 */
/* Constructs to step through. The marks name the lines for the tests. */
#include <omp.h>
#include <signal.h>
#include <stdlib.h>

#define ALONE __attribute__((noinline))

static volatile int sink;

ALONE static void count(int signal_number) { sink += signal_number; }

ALONE static void active(void) {
    sink = 0;                       /* active: before */
#pragma omp parallel num_threads(2) /* active: construct */
    {
        sink = 1; /* active: first */
        sink = 2; /* active: last */
    }
    sink = 3; /* active: after */
}

ALONE static void serialized(int wanted) {
    sink = 0;                    /* serialized: before */
#pragma omp parallel if (wanted) /* serialized: construct */
    {
        sink = 4; /* serialized: first */
        sink = 5; /* serialized: last */
    }
    sink = 6; /* serialized: after */
}

ALONE static void nested(void) {
    sink = 0;                       /* nested: before */
#pragma omp parallel num_threads(2) /* nested: construct */
    {
        sink = 7;                   /* nested: first */
#pragma omp parallel num_threads(2) /* nested: inner construct */
        {
            sink = 8; /* nested: inner first */
            sink = 9; /* nested: inner last */
        }
        sink = 10; /* nested: inner after */
    }
    sink = 11; /* nested: after */
}

ALONE static void loop(int n) {
    sink = 0;                           /* loop: before */
#pragma omp parallel for num_threads(2) /* loop: construct */
    for (int i = 0; i < n; i++) {
        sink = i; /* loop: body */
        sink = n; /* loop: last */
    }
    sink = 12; /* loop: after */
}

ALONE static void undeferred(void) {
    sink = 13;          /* undeferred: before */
#pragma omp task if (0) /* undeferred: construct */
    {
        sink = 14; /* undeferred: first */
        sink = 15; /* undeferred: last */
    }
    sink = 16; /* undeferred: after */
}

ALONE static void privates(int n) {
    int own = n;
    sink = n;                                      /* privates: before */
#pragma omp task if (0) firstprivate(own) shared(n) /* privates: construct */
    {
        sink = own; /* privates: first */
        n = sink;   /* privates: last */
    }
    sink = n; /* privates: after */
}

ALONE static void alone_in_team(void) {
    sink = 17;   /* alone: before */
#pragma omp task /* alone: construct */
    {
        sink = 18; /* alone: first */
        sink = 19; /* alone: last */
    }
    sink = 20; /* alone: after */
}

ALONE static void deferred(void) {
    sink = 0; /* deferred: begin */
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        sink = 21; /* deferred: before */
#pragma omp task   /* deferred: construct */
        { sink = 22; /* deferred: body */ }
        sink = 23; /* deferred: after */
    }
    sink = 24; /* deferred: end */
}

ALONE static void taskloop(unsigned long n) {
    sink = 25;                    /* taskloop: before */
#pragma omp taskloop num_tasks(2) /* taskloop: construct */
    for (unsigned long i = 0; i < n; i++) {
        sink = (int)i; /* taskloop: body */
    }
    sink = 26; /* taskloop: after */
}

ALONE static void parts(void) {
    int one = 0, two = 0;                     /* parts: before */
#pragma omp parallel sections num_threads(1) /* parts: construct */
    {
#pragma omp section
        one = 1; /* parts: one */
#pragma omp section
        two = 2; /* parts: two */
    }
    sink = one + two; /* parts: after */
}

ALONE static void reduced(int n) {
    int sum = 0;                                             /* reduced: before */
#pragma omp parallel for num_threads(2) reduction(+ : sum) /* reduced: construct */
    for (int i = 0; i < n; i++)
        sum += sink; /* reduced: body */
    sink = sum;      /* reduced: after */
}

ALONE static void copied(int own) {
    sink = 0;                                         /* copied: before */
#pragma omp parallel num_threads(1) firstprivate(own) /* copied: construct */
    {
#pragma omp single copyprivate(own)
        own = sink; /* copied: only */
        sink = own; /* copied: last */
    }
    sink = 34; /* copied: after */
}

ALONE static void in_turn(int n) {
    sink = 0;                                   /* in_turn: before */
#pragma omp parallel for ordered num_threads(1) /* in_turn: construct */
    for (int i = 0; i < n; i++) {
#pragma omp ordered
        sink = i; /* in_turn: turn */
        sink = n; /* in_turn: last */
    }
    sink = 35; /* in_turn: after */
}

ALONE static void posted(int n) {
    sink = 0;                                      /* posted: before */
#pragma omp parallel for ordered(1) num_threads(1) /* posted: construct */
    for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
        sink = i; /* posted: body */
#pragma omp ordered depend(source)
    }
    sink = 36; /* posted: after */
}

ALONE static void cancelled(void) {
    sink = 0;                       /* cancelled: before */
#pragma omp parallel num_threads(1) /* cancelled: construct */
    {
        sink = 37; /* cancelled: first */
#pragma omp cancel parallel
        sink = 38; /* cancelled: never */
    }
    sink = 39; /* cancelled: after */
}

ALONE static void signalled(void) {
    sink = 0;                       /* signalled: before */
#pragma omp parallel num_threads(2) /* signalled: construct */
    {
        if (omp_get_thread_num() == 1)
            raise(SIGUSR1);
    }
    sink = 27; /* signalled: after */
}

ALONE static void endless(void) {
    sink = -1;                      /* endless: before */
#pragma omp parallel num_threads(2) /* endless: construct */
    while (sink < 0)
        ;
    sink = 28; /* endless: after */
}

ALONE static void meeting(void) {
    sink = 0;                       /* meeting: before */
#pragma omp parallel num_threads(2) /* meeting: construct */
    {
        sink = 29; /* meeting: first */
#pragma omp barrier
        sink = 30; /* meeting: second */
    }
    sink = 31; /* meeting: after */
}

ALONE static void descend(int n) {
    sink = 0;                       /* descend: before */
#pragma omp parallel num_threads(1) /* descend: construct */
    {
        sink = n; /* descend: first */
        if (n > 0)
            descend(n - 1); /* descend: again */
        sink = 32; /* descend: last */
    }
    sink = n; /* descend: after */
}

/* The program ends in the region. With other threads GDB may lose track of that. */
ALONE static void ending(void) {
    sink = 0;                       /* ending: before */
#pragma omp parallel num_threads(1) /* ending: construct */
    {
        sink = 33; /* ending: first */
        exit(3);   /* ending: exit */
    }
}

/* LLVM's runtime has it; that crashes at doacross loops of gcc's in a team of one thread. */
extern int kmp_get_blocktime(void) __attribute__((weak));

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 2)
        ending();
    signal(SIGUSR1, count);
    omp_set_max_active_levels(2);
    active();
    serialized(0);
    serialized(0);
    nested();
    loop(4);
    undeferred();
    privates(21);
    alone_in_team();
    deferred();
    taskloop(4);
    parts();
    meeting();
    descend(2);
    reduced(4);
    copied(1);
    in_turn(2);
    if (!kmp_get_blocktime)
        posted(2);
    cancelled();
    signalled();
    if (argc > 1)
        endless();
    return 0;
}
