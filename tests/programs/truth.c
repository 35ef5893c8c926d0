/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "truth.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SLOTS = 128, MAX_LEVELS = 8, MAX_DEPTH = 16, MAX_CONSTRUCTS = 1024, MAX_TEXT = 64 };

enum thread_kind { THREAD_INITIAL, THREAD_WORKER, THREAD_NATIVE };

struct truth_construct_entry {
    int kind;
    int parent;
    int made_by; /* the LWP of the thread that met it */
    int line;
    int final;
    char file[MAX_TEXT];
    char function[MAX_TEXT];
};

struct truth_slot {
    int lwp;
    unsigned long pthread_id;
    int thread_kind;
    int stop; /* the number of the stop this was recorded for */
    int idle;
    int ended; /* as GCC's runtime ends those of an inner region */
    int construct;
    int scheduling; /* whose task this thread suspended for this one; -1: none */
    char state[MAX_TEXT];
    char location_function[MAX_TEXT];
    int location_line; /* 0: any line of that function */
    int thread_num, num_threads, level, active_level;
    int ancestor_thread_num[MAX_LEVELS], team_size[MAX_LEVELS];
    int in_parallel, in_final;
    int max_threads, dynamic, max_active_levels;
    int schedule_kind, schedule_monotonic, schedule_chunk;
    int proc_bind, thread_limit, num_procs, cancellation, default_device, max_task_priority;
    int team_num, num_teams;
    unsigned long stack_size;
};

/* The debugger reads these five. */
struct truth_slot truth_slots[MAX_SLOTS];
struct truth_construct_entry truth_constructs[MAX_CONSTRUCTS] = {
    {TRUTH_INITIAL, -1, 0, 0, 0, "", "main"}};
atomic_int truth_slot_count;
atomic_int truth_stop_number = 1;
atomic_int truth_construct_count = 1;

static atomic_int recorded_count;
static atomic_int natives_may_end;
static pthread_mutex_t hold_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop_is_over = PTHREAD_COND_INITIALIZER;

static __thread int my_slot = -1;
static __thread int i_am_initial;
static __thread int my_constructs[MAX_DEPTH]; /* entry 0 is the initial task */
static __thread int my_depth;

/* libomp's own; gcc's omp.h does not declare it, and its runtime has none. */
__attribute__((weak)) extern size_t kmp_get_stacksize_s(void);

/* No part of truth_stop: that is where the debugger is. */
__attribute__((noinline)) static int is_here(const char *variable) {
    const char *number = getenv(variable);
    return number && atoi(number) == atomic_load(&truth_stop_number);
}

/* Without a debugger, a core file can be had instead of a stop, or a debugger waited for. */
__attribute__((noinline)) void truth_stop(void) {
    if (is_here("TRUTH_ABORT_AT_STOP")) abort();
    if (is_here("TRUTH_HALT_AT_STOP")) raise(SIGSTOP);
}

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "truth: %s\n", what);
    abort();
}

static void set_text(char *to, const char *from) {
    require(strlen(from) < MAX_TEXT, "text too long");
    strcpy(to, from);
}

static int lwp_of_caller(void) {
    return (int)syscall(SYS_gettid);
}

int truth_construct(int kind, const char *file, int line, const char *function) {
    const int number = atomic_fetch_add(&truth_construct_count, 1);
    require(number < MAX_CONSTRUCTS, "too many constructs");
    struct truth_construct_entry *entry = &truth_constructs[number];
    const char *slash = strrchr(file, '/');
    entry->kind = kind;
    entry->parent = my_constructs[my_depth];
    entry->made_by = lwp_of_caller();
    entry->line = line;
    set_text(entry->file, slash ? slash + 1 : file);
    set_text(entry->function, function);
    return number;
}

void truth_begin(int construct) {
    require(my_depth + 1 < MAX_DEPTH, "constructs too deep");
    my_constructs[++my_depth] = construct;
    truth_constructs[construct].final = omp_in_final();
}

void truth_end(int construct) {
    require(my_constructs[my_depth] == construct, "constructs end out of order");
    my_depth--;
}

void truth_made_by_program(void) {
    i_am_initial = 1;
}

static struct truth_slot *slot_of_caller(void) {
    if (my_slot < 0) {
        my_slot = atomic_fetch_add(&truth_slot_count, 1);
        require(my_slot < MAX_SLOTS, "too many threads");
        truth_slots[my_slot].lwp = lwp_of_caller();
        truth_slots[my_slot].pthread_id = (unsigned long)pthread_self();
    }
    return &truth_slots[my_slot];
}

static void record_teams(struct truth_slot *slot) {
    slot->thread_num = omp_get_thread_num();
    slot->num_threads = omp_get_num_threads();
    slot->level = omp_get_level();
    slot->active_level = omp_get_active_level();
    for (int level = 0; level < MAX_LEVELS; level++) {
        slot->ancestor_thread_num[level] = omp_get_ancestor_thread_num(level);
        slot->team_size[level] = omp_get_team_size(level);
    }
    slot->in_parallel = omp_in_parallel();
    slot->in_final = omp_in_final();
    slot->team_num = omp_get_team_num();
    slot->num_teams = omp_get_num_teams();
}

static void record_icvs(struct truth_slot *slot) {
    omp_sched_t kind;
    omp_get_schedule(&kind, &slot->schedule_chunk);
    slot->schedule_kind = (int)((unsigned)kind & 0x7fffffffu);
    slot->schedule_monotonic = ((unsigned)kind & 0x80000000u) != 0;
    slot->max_threads = omp_get_max_threads();
    slot->dynamic = omp_get_dynamic();
    slot->max_active_levels = omp_get_max_active_levels();
    slot->proc_bind = (int)omp_get_proc_bind();
    slot->thread_limit = omp_get_thread_limit();
    slot->num_procs = omp_get_num_procs();
    slot->cancellation = omp_get_cancellation();
    slot->default_device = omp_get_default_device();
    slot->max_task_priority = omp_get_max_task_priority();
    slot->stack_size = kmp_get_stacksize_s ? kmp_get_stacksize_s() : 0;
}

/* The innermost of a construct and those around it that is a region; -1: none. */
static int region_around(int construct) {
    while (construct >= 0 && truth_constructs[construct].kind != TRUTH_PARALLEL)
        construct = truth_constructs[construct].parent;
    return construct;
}

/*
 * What this thread suspended for its explicit task. A task that runs at the end
 * of a region suspends the region's implicit task, which said already that it ends.
 */
static int suspended_construct(void) {
    const int current = my_constructs[my_depth];
    if (truth_constructs[current].kind != TRUTH_TASK) return -1;
    const int below = my_constructs[my_depth - 1];
    const int region = region_around(current);
    return region >= 0 && region_around(below) != region ? region : below;
}

static void record(const char *state, const char *function, int line) {
    struct truth_slot *slot = slot_of_caller();
    const int initial = i_am_initial || slot->lwp == getpid();
    slot->thread_kind = initial ? THREAD_INITIAL : THREAD_WORKER;
    slot->construct = my_constructs[my_depth];
    slot->scheduling = suspended_construct();
    slot->idle = 0;
    slot->stop = atomic_load(&truth_stop_number);
    record_teams(slot);
    record_icvs(slot);
    set_text(slot->state, state ? state : slot->level > 0 ? "work_parallel" : "work_serial");
    set_text(slot->location_function, function);
    slot->location_line = line;
}

void truth_hold(void) {
    record(NULL, __func__, 0);
    pthread_mutex_lock(&hold_mutex);
    const int number = atomic_load(&truth_stop_number);
    atomic_fetch_add(&recorded_count, 1);
    while (atomic_load(&truth_stop_number) == number)
        pthread_cond_wait(&stop_is_over, &hold_mutex);
    pthread_mutex_unlock(&hold_mutex);
}

void truth_waits(const char *state, int line, const char *function) {
    record(state, function, line);
    atomic_fetch_add(&recorded_count, 1);
}

void truth_hold_native(void) {
    struct truth_slot *slot = slot_of_caller();
    slot->thread_kind = THREAD_NATIVE;
    slot->construct = -1;
    slot->scheduling = -1;
    set_text(slot->location_function, __func__);
    pthread_mutex_lock(&hold_mutex);
    atomic_fetch_add(&recorded_count, 1);
    while (!atomic_load(&natives_may_end)) pthread_cond_wait(&stop_is_over, &hold_mutex);
    pthread_mutex_unlock(&hold_mutex);
}

void truth_release_natives(void) {
    pthread_mutex_lock(&hold_mutex);
    atomic_store(&natives_may_end, 1);
    pthread_cond_broadcast(&stop_is_over);
    pthread_mutex_unlock(&hold_mutex);
}

/* 0 if the thread has ended. */
static char scheduler_state(int lwp) {
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", lwp);
    FILE *file = fopen(path, "r");
    const char *read = file ? fgets(line, sizeof line, file) : NULL;
    if (file) fclose(file);
    return read ? strrchr(line, ')')[2] : 0;
}

/* By the kernel's clock of that thread; 0 if it has ended. */
static long long cpu_time(int lwp) {
    const clockid_t clock = (clockid_t)((~(unsigned)lwp << 3) | 6u);
    struct timespec spent;
    return clock_gettime(clock, &spent) ? 0 : spent.tv_sec * 1000000000LL + spent.tv_nsec;
}

/*
 * The thread said that it goes to wait in the runtime. It is there when it
 * sleeps, or when it has run far longer than the way there takes: the thread's
 * own clock counts, not the wall's, so a busy machine changes nothing.
 */
static void await_settled(const struct truth_slot *slot) {
    const long long plenty = 3000000;
    const long long before = cpu_time(slot->lwp);
    char state;
    while ((state = scheduler_state(slot->lwp)) && state != 'S' &&
           cpu_time(slot->lwp) - before < plenty)
        sched_yield();
}

static void mark_idle(struct truth_slot *slot) {
    slot->idle = 1;
    slot->construct = -1;
    slot->scheduling = -1;
    set_text(slot->state, "idle");
    set_text(slot->location_function, "");
}

static void await_still(int stop_number) {
    for (int i = 0; i < atomic_load(&truth_slot_count); i++) {
        struct truth_slot *slot = &truth_slots[i];
        if (slot->thread_kind == THREAD_NATIVE || i == my_slot || slot->ended) continue;
        if (slot->stop != stop_number) {
            require(slot->thread_kind == THREAD_WORKER, "a thread did not record");
            mark_idle(slot);
        }
        if (strcmp(slot->location_function, "truth_hold") != 0) await_settled(slot);
        slot->ended = !scheduler_state(slot->lwp);
    }
}

void truth_lead(int others) {
    record(NULL, "truth_stop", 0);
    const int number = atomic_load(&truth_stop_number);
    while (atomic_load(&recorded_count) < others) sched_yield();
    require(atomic_load(&recorded_count) == others, "more threads recorded than expected");
    await_still(number);
    truth_stop();
    pthread_mutex_lock(&hold_mutex);
    atomic_store(&recorded_count, 0);
    atomic_fetch_add(&truth_stop_number, 1);
    pthread_cond_broadcast(&stop_is_over);
    pthread_mutex_unlock(&hold_mutex);
}
