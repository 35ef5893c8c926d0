/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

enum { MAX_THREADS = 1024, MAX_DEPTH = 48, MAX_LEVELS = 8, MAX_HELD = 12, MAX_INSTANCES = 1 << 16 };
enum { MAX_VALUES = 6 };

struct task {
    int instance, construct, phase, detail, line, level, active_level, team_num, num_teams;
    int places[MAX_LEVELS][2]; /* number and team size at each level, outermost first */
};

struct value {
    long number;
    double value;
    const volatile void *place;
};

struct thread {
    int lwp, busy, depth, held_count;
    int held[MAX_HELD];
    struct task tasks[MAX_DEPTH];
    long value_count;
    struct value values[MAX_VALUES];
};

struct instance {
    int number, construct, parent, thread; /* the task that met it, and who executed that */
};

/* The debugger reads these. */
struct thread record_threads[MAX_THREADS];
struct instance record_instances[MAX_INSTANCES]; /* by number, modulo their count */
atomic_int record_thread_count;
int record_sizes[] = {sizeof(struct task), sizeof(struct thread), sizeof(struct instance),
                      sizeof(omp_lock_t), sizeof(omp_nest_lock_t)};

int record_pipe[2];
sem_t record_semaphore;

static atomic_int instance_count;
static __thread struct thread *mine;

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "record: %s\n", what);
    abort();
}

static struct thread *self(void) {
    if (!mine) {
        const int number = atomic_fetch_add(&record_thread_count, 1);
        require(number < MAX_THREADS, "too many threads");
        mine = &record_threads[number];
        mine->lwp = (int)syscall(SYS_gettid);
    }
    return mine;
}

static void set_busy(struct thread *thread, int busy) {
    atomic_signal_fence(memory_order_seq_cst);
    *(volatile int *)&thread->busy = busy;
    atomic_signal_fence(memory_order_seq_cst);
}

static struct task *top(struct thread *thread) {
    require(thread->depth > 0, "no task");
    return &thread->tasks[thread->depth - 1];
}

static struct instance *instance_of(int number) {
    struct instance *found = &record_instances[number % MAX_INSTANCES];
    require(found->number == number, "instance overwritten");
    return found;
}

/* Whether the thread's current task is an explicit one: it has a task of the same team below. */
static int is_explicit(struct thread *thread) {
    return thread->depth > 1 && top(thread)->construct < 0;
}

/* Whether a task's body is over, or may be. */
static int is_done(const struct task *task) {
    return task->phase == RECORD_ENDED || task->phase == RECORD_TAIL ||
           (task->phase == RECORD_TEAM && task->detail == AT_LAST);
}

/* Forget a task whose last act was a call: its thread does something else now. */
static struct thread *awake(void) {
    struct thread *thread = self();
    set_busy(thread, 1);
    while (is_explicit(thread) && top(thread)->phase == RECORD_TAIL) thread->depth--;
    return thread;
}

static void now(struct thread *thread, int phase, int detail) {
    struct task *task = top(thread);
    task->phase = phase;
    task->detail = detail;
    if (phase != RECORD_WORKS && phase != RECORD_BLOCKS && phase != RECORD_WANTS)
        thread->value_count = 0;
    set_busy(thread, 0);
}

/* Explicit tasks' constructs are kept as -1 - CONSTRUCT, those of regions as they are. */
int record_meets(int construct, int is_region) {
    struct thread *thread = awake();
    const int number = atomic_fetch_add(&instance_count, 1);
    struct instance *made = &record_instances[number % MAX_INSTANCES];
    made->construct = is_region ? construct : -1 - construct;
    made->parent = top(thread)->instance;
    made->thread = (int)(thread - record_threads);
    made->number = number;
    now(thread, is_region ? RECORD_MEETS : RECORD_TEAM, is_region ? number : AT_TASK);
    return number;
}

void record_left(void) {
    struct thread *thread = awake();
    while (is_done(top(thread))) thread->depth--;
    require(top(thread)->phase == RECORD_MEETS, "left what was not met");
    now(thread, RECORD_ON, 0);
}

void record_begins(int number) {
    struct thread *thread = awake();
    const struct instance *instance = instance_of(number);
    /* A worker has left the region before. The primary thread's is below what it meets now. */
    if (instance->construct >= 0 && instance->thread != (int)(thread - record_threads)) {
        while (thread->depth > 0) {
            require(is_done(top(thread)), "a worker was not done");
            thread->depth--;
        }
    }
    require(thread->depth < MAX_DEPTH, "too deep");
    struct task *task = &thread->tasks[thread->depth];
    task->instance = number;
    task->construct = instance->construct;
    task->level = omp_get_level();
    task->active_level = omp_get_active_level();
    task->team_num = omp_get_team_num();
    task->num_teams = omp_get_num_teams();
    require(task->level < MAX_LEVELS, "too many levels");
    for (int level = 0; level <= task->level; level++) {
        task->places[level][0] = omp_get_ancestor_thread_num(level);
        task->places[level][1] = omp_get_team_size(level);
    }
    thread->depth++;
    now(thread, RECORD_ON, 0);
}

void record_ends(void) {
    struct thread *thread = awake();
    if (is_explicit(thread)) {
        thread->depth--;
        set_busy(thread, 0);
    } else {
        now(thread, RECORD_ENDED, 0);
    }
}

void record_on(void) {
    now(awake(), RECORD_ON, 0);
}

void record_team(int place) {
    now(awake(), RECORD_TEAM, place);
}

void record_wants(int lock) {
    now(awake(), RECORD_WANTS, lock);
}

void record_has(int lock) {
    struct thread *thread = awake();
    require(thread->held_count < MAX_HELD, "too many locks");
    thread->held[thread->held_count++] = lock;
    now(thread, RECORD_ON, 0);
}

void record_drops(int lock) {
    struct thread *thread = awake();
    require(thread->held_count > 0, "no lock held");
    require(thread->held[--thread->held_count] == lock, "locks out of order");
    now(thread, RECORD_DROPS, lock);
}

void record_blocks(int call) {
    now(awake(), RECORD_BLOCKS, call);
}

void record_tail(int call) {
    now(awake(), RECORD_TAIL, call);
}

int record_own(void) {
    return omp_get_thread_num();
}

void record_works(int line, int amount) {
    struct thread *thread = awake();
    top(thread)->line = line;
    now(thread, RECORD_WORKS, 0);
    record_spin(amount);
    now(thread, RECORD_ON, 0);
}

void record_value(int number, double value, const volatile void *place) {
    struct thread *thread = self();
    require(thread->value_count < MAX_VALUES, "too many values");
    thread->values[thread->value_count++] = (struct value){number, value, place};
}

static _Atomic(uintptr_t) events[8];

void record_fulfil(omp_event_handle_t event) {
    uintptr_t none = 0;
    for (int i = 0; i < 8; i++, none = 0)
        if (atomic_compare_exchange_strong(&events[i], &none, (uintptr_t)event)) return;
    omp_fulfill_event(event);
}

static void fulfil_one(int at) {
    const uintptr_t event = atomic_exchange(&events[at], 0);
    if (event) omp_fulfill_event((omp_event_handle_t)event);
}

void *record_other(void *nothing) {
    usleep(100);
    return nothing;
}

/* The debugger breaks here. */
__attribute__((noinline)) void record_stop(void) {
    __asm__ volatile("" ::: "memory");
}

struct root {
    void (*round)(int);
    int number;
};

static void begin_initial(void) {
    struct thread *thread = self();
    struct task *task = &thread->tasks[0];
    task->instance = -1 - (int)(thread - record_threads);
    task->places[0][1] = task->num_teams = 1;
    thread->depth = 1;
}

static void *run_root(void *given) {
    struct root *root = given;
    omp_get_max_threads(); /* LLVM's runtime knows the thread from here on */
    begin_initial();
    for (int number = root->number;; number = (number + 1) % 1000000) root->round(number);
    return NULL;
}

/* Let those go on who wait in a call, and stop now and then. Is no OpenMP thread. */
static void *drive(void *given) {
    unsigned seed = (unsigned)*(int *)given;
    for (;;) {
        for (int ticks = rand_r(&seed) % 8; ticks >= 0; ticks--) {
            usleep((useconds_t)(rand_r(&seed) % 400));
            int ready = 0;
            struct pollfd end = {.fd = record_pipe[0], .events = POLLIN};
            if (poll(&end, 1, 0) == 0 && write(record_pipe[1], "x", 1) != 1) abort();
            if (sem_getvalue(&record_semaphore, &ready) == 0 && ready == 0)
                sem_post(&record_semaphore);
            fulfil_one(ticks % 8);
        }
        record_spin(rand_r(&seed) % 20000);
        record_stop();
    }
    return NULL;
}

int record_run(void (*round)(int), int others, int seed) {
    pthread_t thread;
    struct root root = {round, seed};
    if (pipe(record_pipe) || sem_init(&record_semaphore, 0, 0)) return 1;
    for (int i = 0; i < RECORD_LOCKS; i++) omp_init_lock(&record_locks[i]);
    for (int i = 0; i < RECORD_NEST_LOCKS; i++) omp_init_nest_lock(&record_nest_locks[i]);
    if (pthread_create(&thread, NULL, drive, &seed)) return 1;
    for (int i = 0; i < others; i++)
        if (pthread_create(&thread, NULL, run_root, &root)) return 1;
    run_root(&root);
    return 0;
}
