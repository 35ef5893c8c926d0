/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a generated program knows about itself at any moment.
 *
 * Each thread keeps a stack of the tasks that it executes, and says what it does before and
 * after it does it. Nobody has to sit still: a debugger that stops the program anywhere finds
 * what each thread did last. While a thread writes its record it is "busy".
 */
#ifndef RECORD_H
#define RECORD_H

#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RECORD_LOCKS = 4, RECORD_NEST_LOCKS = 2 };

/* What a task does, as its thread said last. */
enum record_phase {
    RECORD_ON,     /* in the user's code */
    RECORD_WORKS,  /* in record_work(), called from LINE */
    RECORD_TEAM,   /* in the runtime, or about to be, and in its team: DETAIL is where */
    RECORD_MEETS,  /* begins the region of instance DETAIL, is in it, or leaves it */
    RECORD_WANTS,  /* about to enter lock DETAIL */
    RECORD_DROPS,  /* has left lock DETAIL, or is about to */
    RECORD_BLOCKS, /* in a call of the system, or about to be: DETAIL is which */
    RECORD_TAIL,   /* the same, and that call is the last act of the body */
    RECORD_ENDED   /* the body is done */
};

enum record_place {
    AT_BARRIER, AT_LOOP, AT_SECTIONS, AT_SINGLE, AT_TASK, AT_TASKWAIT, AT_TASKGROUP,
    AT_TASKLOOP, AT_ORDERED, AT_REDUCTION, AT_COPYPRIVATE, AT_TASKYIELD, AT_DOACROSS,
    AT_LAST /* an iteration is over, and perhaps the body, which ends with the last one */
};

enum record_call { CALL_READ, CALL_SLEEP, CALL_POLL, CALL_SEMAPHORE, CALL_JOIN };

/* The program defines these, so that they are in its debug information. */
extern omp_lock_t record_locks[RECORD_LOCKS];
extern omp_nest_lock_t record_nest_locks[RECORD_NEST_LOCKS];
extern int record_pipe[2];
extern sem_t record_semaphore;

/* The calling thread's task meets CONSTRUCT, whose tasks say that they begin with the
   number that this returns. */
int record_meets(int construct, int is_region);
void record_left(void); /* the region that was met is left */
void record_begins(int instance);
void record_ends(void);

void record_on(void);
void record_works(int line, int amount);
void record_spin(int amount);
int record_own(void); /* the calling thread's number in its team */
/* What the caller's note NUMBER is while it works, blocks or waits for a lock, of which it is
   about to say so; PLACE is NULL or where. */
void record_value(int number, double value, const volatile void *place);
void record_team(int place);
void record_wants(int lock);
void record_has(int lock);
void record_drops(int lock);
void record_blocks(int call);
void record_tail(int call);

/* No two of these calls are made one by the compiler, and none is the last act of a function. */
#define record_work(line, amount)                                                                  \
    do {                                                                                           \
        record_works(line, amount);                                                                \
        __asm__ volatile("# %0" ::"i"(line));                                                      \
    } while (0)

/* Have another thread fulfil a task's event, sooner or later. */
void record_fulfil(omp_event_handle_t event);
/* What a thread does that is not OpenMP's. */
void *record_other(void *nothing);

#ifdef GENERATED_MAIN
int GENERATED_MAIN(void); /* a host calls it */
#else
#define GENERATED_MAIN main
#endif

/* Set up, and run ROUND again and again in the calling thread and in OTHERS more. */
int record_run(void (*round)(int), int others, int seed);

#ifdef __cplusplus
}
#endif

#endif
