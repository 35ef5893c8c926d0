/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tiny OpenMP-like runtime that is nobody's else: threads from a pool, nested teams,
 * tasks, locks, one mutex and one condition for all of it. A debugger gets what OMPD
 * says it gets: ompd_dll_locations, ompd_bp_*, and the records.
 */
#define _GNU_SOURCE
#include "omp.h"
#include "records.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NOINLINE __attribute__((noinline))

/* OpenMP 5.1, section 4.4.4.28. */
enum {
    WORK_SERIAL = 0x000,
    WORK_PARALLEL = 0x001,
    WAIT_BARRIER_IMPLICIT_PARALLEL = 0x011,
    WAIT_BARRIER_EXPLICIT = 0x014,
    WAIT_TASKWAIT = 0x020,
    WAIT_LOCK = 0x041,
    IDLE = 0x100
};

static struct tiny_process tiny_process;
static volatile int tiny_shadowed = TINY_SHADOWED; /* the program may have another */
static __thread struct tiny_thread *tiny_self;

static pthread_mutex_t tiny_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t tiny_changed = PTHREAD_COND_INITIALIZER;
static uint64_t tiny_last_id;

/* OpenMP 5.0, sections 5.2.2 and 5.6. */
EXPORT const char **ompd_dll_locations;
EXPORT NOINLINE void ompd_dll_locations_valid(void) { __asm__ volatile(""); }
EXPORT NOINLINE void ompd_bp_parallel_begin(void) { __asm__ volatile(""); }
EXPORT NOINLINE void ompd_bp_parallel_end(void) { __asm__ volatile(""); }
EXPORT NOINLINE void ompd_bp_task_begin(void) { __asm__ volatile(""); }
EXPORT NOINLINE void ompd_bp_task_end(void) { __asm__ volatile(""); }
EXPORT NOINLINE void ompd_bp_thread_begin(void) { __asm__ volatile(""); }
EXPORT NOINLINE void ompd_bp_thread_end(void) { __asm__ volatile(""); }

/* Starting and the process's own ICVs. */

static const char *setting(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    char *end = tiny_process.settings + tiny_process.settings_size;
    const int room = TINY_SETTINGS - tiny_process.settings_size;
    const int size = snprintf(end, (size_t)room, "%s=%s", name, value ? value : otherwise);
    if (size < room) tiny_process.settings_size += size + 1;
    return value ? value : otherwise;
}

static uint64_t bytes_of(const char *text) {
    char *unit;
    const uint64_t number = strtoull(text, &unit, 10);
    return number << (*unit == 'M' ? 20 : *unit == 'B' ? 0 : 10);
}

/* A list of omp_proc_bind_t, by the first letters of its words. */
static void read_binding(struct tiny_icvs *icvs) {
    const char *letters = "ftpcs";
    for (const char *next = setting("OMP_PROC_BIND", "false"); next; next = strchr(next, ',')) {
        if (*next == ',') next++;
        const char *letter = strchr(letters, *next);
        if (!letter || icvs->bind_count == TINY_MAX_LIST) return;
        icvs->bind[icvs->bind_count++] = (int)(letter - letters);
    }
}

static void read_settings(struct tiny_icvs *icvs) {
    char threads[16];
    read_binding(icvs);
    tiny_process.num_procs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(threads, sizeof threads, "%d", tiny_process.num_procs);
    const char *next = setting("OMP_NUM_THREADS", threads);
    while (icvs->nthreads_count < TINY_MAX_LIST && *next != '\0') {
        char *end;
        icvs->nthreads[icvs->nthreads_count++] = (int)strtol(next, &end, 10);
        next = *end == ',' ? end + 1 : "";
    }
    const char *schedule = setting("OMP_SCHEDULE", "static");
    const char *chunk = strchr(schedule, ',');
    icvs->schedule_kind = *schedule == 'd' ? 2 : *schedule == 'g' ? 3 : *schedule == 'a' ? 4 : 1;
    icvs->schedule_chunk = chunk ? atoi(chunk + 1) : 0;
    icvs->max_active_levels = atoi(setting("OMP_MAX_ACTIVE_LEVELS", "4"));
    icvs->dynamic = strcmp(setting("OMP_DYNAMIC", "false"), "true") == 0;
    icvs->thread_limit = atoi(setting("OMP_THREAD_LIMIT", "64"));
    tiny_process.stack_size = bytes_of(setting("OMP_STACKSIZE", "2M"));
    tiny_process.affinity_format = setting("OMP_AFFINITY_FORMAT", "level %L thread %n");
    tiny_process.unreadable = UINT64_C(0xdead000000000000);
    tiny_process.layout = tiny_shadowed == TINY_SHADOWED ? TINY_LAYOUT : 0;
}

/* Where the OMPD library is: by its name, and beside this file. */
static void tell_debuggers(void) {
    static char beside[4096];
    static const char *locations[] = {"libtinyompd.so", beside, NULL};
    Dl_info own;
    if (dladdr(&tiny_process, &own) != 0) {
        const char *name = strrchr(own.dli_fname, '/');
        const int folder = name ? (int)(name - own.dli_fname + 1) : 0;
        snprintf(beside, sizeof beside, "%.*slibtinyompd.so", folder, own.dli_fname);
    }
    ompd_dll_locations = locations;
    ompd_dll_locations_valid();
}

/* Records. */

static void *new_record(size_t size, uint64_t mark) {
    uint64_t *record = calloc(1, size);
    if (record == NULL) abort();
    record[0] = mark;
    record[1] = __atomic_add_fetch(&tiny_last_id, 1, __ATOMIC_RELAXED);
    return record;
}

static void drop_record(void *record) {
    *(volatile uint64_t *)record = 0;
    free(record);
}

static struct tiny_task *new_task(int kind, struct tiny_team *team, struct tiny_task *generating) {
    struct tiny_task *task = new_record(sizeof *task, TINY_TASK_MARK);
    task->kind = kind;
    task->team = team;
    task->generating = generating;
    if (generating) task->icvs = generating->icvs;
    task->tool_value = task->id;
    task->tool_pointer = task;
    return task;
}

static struct tiny_team *new_team(struct tiny_thread *encountering, int size) {
    struct tiny_team *team = new_record(sizeof *team, TINY_TEAM_MARK);
    team->size = size;
    if (encountering) {
        team->parent = encountering->team;
        team->encountering = encountering->task;
        team->encountering_number = encountering->number;
        team->level = team->parent->level + 1;
        team->active_level = team->parent->active_level + (size > 1);
    }
    team->tool_value = team->id;
    team->tool_pointer = team;
    return team;
}

static struct tiny_thread *new_thread(void) {
    struct tiny_thread *thread = new_record(sizeof *thread, TINY_THREAD_MARK);
    thread->pthread = (uint64_t)pthread_self();
    thread->lwp = (int)syscall(SYS_gettid);
    thread->tool_value = thread->id;
    thread->tool_pointer = thread;
    tiny_self = thread;
    return thread;
}

/* The calling thread, which becomes an initial thread if it is none yet. */
static struct tiny_thread *self(void) {
    if (tiny_self) return tiny_self;
    struct tiny_thread *thread = new_thread();
    struct tiny_team *team = new_team(NULL, 1);
    struct tiny_task *task = new_task(TINY_INITIAL, team, NULL);
    pthread_mutex_lock(&tiny_mutex);
    team->members[0] = thread;
    team->implicit[0] = task;
    if (!ompd_dll_locations) read_settings(&task->icvs);
    thread->team = team;
    thread->task = task;
    thread->state = WORK_SERIAL;
    tiny_process.threads[tiny_process.thread_count++] = thread;
    pthread_mutex_unlock(&tiny_mutex);
    if (!ompd_dll_locations) tell_debuggers();
    ompd_bp_thread_begin();
    return thread;
}

/* Tasks. */

static NOINLINE void invoke(struct tiny_task *task) {
    task->exit_frame = (uint64_t)__builtin_dwarf_cfa();
    task->function(task->argument);
    *(volatile uint64_t *)&task->exit_frame = 0;
}

/* Execute an explicit task; the mutex is not held. */
static NOINLINE void execute(struct tiny_thread *thread, struct tiny_task *task) {
    struct tiny_task *before = thread->task;
    const int64_t state = thread->state;
    task->scheduling = before;
    thread->task = task;
    thread->state = WORK_PARALLEL;
    ompd_bp_task_begin();
    invoke(task);
    ompd_bp_task_end();
    thread->task = before;
    thread->state = state;
    pthread_mutex_lock(&tiny_mutex);
    task->generating->children--;
    task->team->pending--;
    pthread_cond_broadcast(&tiny_changed);
    pthread_mutex_unlock(&tiny_mutex);
    drop_record(task);
}

/* Take the oldest queued task of the team, with the mutex held. */
static struct tiny_task *take(struct tiny_team *team) {
    struct tiny_task *task = team->queue;
    if (task) team->queue = task->next;
    return task;
}

/* With the mutex held: execute what is queued, or wait for something to change. */
static void work_or_wait(struct tiny_thread *thread, struct tiny_team *team) {
    struct tiny_task *task = take(team);
    if (task == NULL) {
        pthread_cond_wait(&tiny_changed, &tiny_mutex);
        return;
    }
    pthread_mutex_unlock(&tiny_mutex);
    execute(thread, task);
    pthread_mutex_lock(&tiny_mutex);
}

EXPORT void tiny_task(tiny_body *body, void *argument, int flags) {
    struct tiny_thread *thread = self();
    struct tiny_task *task = new_task(TINY_EXPLICIT, thread->team, thread->task);
    thread->task->enter_frame = (uint64_t)__builtin_dwarf_cfa();
    task->function = body;
    task->argument = argument;
    task->final = (flags & TINY_FINAL) != 0 || task->generating->final;
    pthread_mutex_lock(&tiny_mutex);
    task->generating->children++;
    task->team->pending++;
    const int at_once = (flags & TINY_UNDEFERRED) != 0 || task->generating->final;
    if (!at_once) {
        struct tiny_task **end = &task->team->queue;
        while (*end) end = &(*end)->next;
        *end = task;
        pthread_cond_broadcast(&tiny_changed);
    }
    pthread_mutex_unlock(&tiny_mutex);
    if (at_once) execute(thread, task);
    thread->task->enter_frame = 0;
}

EXPORT void tiny_taskwait(void) {
    struct tiny_thread *thread = self();
    const int64_t state = thread->state;
    thread->task->enter_frame = (uint64_t)__builtin_dwarf_cfa();
    thread->state = WAIT_TASKWAIT;
    pthread_mutex_lock(&tiny_mutex);
    while (thread->task->children) work_or_wait(thread, thread->team);
    pthread_mutex_unlock(&tiny_mutex);
    thread->state = state;
    thread->task->enter_frame = 0;
}

/* Wait for the whole team and for its tasks. */
static void meet(struct tiny_thread *thread, int64_t while_waiting) {
    struct tiny_team *team = thread->team;
    const int64_t state = thread->state;
    thread->state = while_waiting;
    pthread_mutex_lock(&tiny_mutex);
    const int round = team->round;
    team->arrived++;
    while (team->round == round) {
        if (team->arrived == team->size && team->pending == 0) {
            team->arrived = 0;
            team->round++;
            pthread_cond_broadcast(&tiny_changed);
        } else {
            work_or_wait(thread, team);
        }
    }
    pthread_mutex_unlock(&tiny_mutex);
    thread->state = state;
}

EXPORT void tiny_barrier(void) {
    struct tiny_thread *thread = self();
    thread->task->enter_frame = (uint64_t)__builtin_dwarf_cfa();
    meet(thread, WAIT_BARRIER_EXPLICIT);
    thread->task->enter_frame = 0;
}

/* Regions. */

/* One thread's part in a region; its team is set already. */
static void take_part(struct tiny_thread *thread) {
    thread->task = thread->team->implicit[thread->number];
    thread->state = WORK_PARALLEL;
    invoke(thread->task);
    meet(thread, WAIT_BARRIER_IMPLICIT_PARALLEL);
}

static void *worker(void *unused) {
    struct tiny_thread *thread = new_thread();
    thread->state = IDLE;
    ompd_bp_thread_begin();
    pthread_mutex_lock(&tiny_mutex);
    tiny_process.threads[tiny_process.thread_count++] = thread;
    pthread_cond_broadcast(&tiny_changed);
    for (;;) {
        while (!thread->team) pthread_cond_wait(&tiny_changed, &tiny_mutex);
        pthread_mutex_unlock(&tiny_mutex);
        take_part(thread);
        pthread_mutex_lock(&tiny_mutex);
        struct tiny_team *team = thread->team;
        thread->state = IDLE;
        thread->task = NULL;
        thread->team = NULL;
        team->members[thread->number] = NULL;
        pthread_cond_broadcast(&tiny_changed);
    }
    return unused;
}

/* With the mutex held: an idle worker, made if there is none. */
static struct tiny_thread *idle_worker(void) {
    for (;;) {
        for (int i = 0; i < tiny_process.thread_count; i++) {
            struct tiny_thread *thread = tiny_process.threads[i];
            if (thread->state == IDLE && !thread->team) return thread;
        }
        const int count = tiny_process.thread_count;
        pthread_t made;
        if (count == TINY_MAX_THREADS || pthread_create(&made, NULL, worker, NULL)) abort();
        while (tiny_process.thread_count == count) pthread_cond_wait(&tiny_changed, &tiny_mutex);
    }
}

static int size_of_region(const struct tiny_thread *thread, int wanted) {
    const struct tiny_icvs *icvs = &thread->task->icvs;
    const int size = wanted ? wanted : icvs->nthreads[0];
    const int serialized = thread->team->active_level >= icvs->max_active_levels;
    return serialized ? 1 : size > TINY_MAX_TEAM ? TINY_MAX_TEAM : size;
}

/* A region's tasks inherit the rest of a list (OpenMP 5.0, section 2.5.4.1). */
static void drop_first(int32_t *list, int32_t *count) {
    if (*count < 2) return;
    memmove(list, list + 1, (TINY_MAX_LIST - 1) * sizeof *list);
    --*count;
}

static struct tiny_task *new_implicit_task(struct tiny_team *team, int number, tiny_body *body,
                                           void *argument) {
    struct tiny_task *task = new_task(TINY_IMPLICIT, team, team->encountering);
    struct tiny_icvs *icvs = &task->icvs;
    drop_first(icvs->nthreads, &icvs->nthreads_count);
    drop_first(icvs->bind, &icvs->bind_count);
    task->number = number;
    task->function = body;
    task->argument = argument;
    return task;
}

EXPORT void tiny_parallel(tiny_body *body, void *argument, int count) {
    struct tiny_thread *thread = self();
    struct tiny_task *encountering = thread->task;
    const int number = thread->number;
    const int64_t state = thread->state;
    encountering->enter_frame = (uint64_t)__builtin_dwarf_cfa();
    struct tiny_team *team = new_team(thread, size_of_region(thread, count));
    for (int i = 0; i < team->size; i++)
        team->implicit[i] = new_implicit_task(team, i, body, argument);
    team->members[0] = thread;
    thread->team = team;
    thread->number = 0;
    ompd_bp_parallel_begin();
    pthread_mutex_lock(&tiny_mutex);
    for (int i = 1; i < team->size; i++) {
        struct tiny_thread *other = team->members[i] = idle_worker();
        other->number = i;
        other->team = team;
    }
    pthread_cond_broadcast(&tiny_changed);
    pthread_mutex_unlock(&tiny_mutex);
    take_part(thread);
    pthread_mutex_lock(&tiny_mutex);
    for (int i = 1; i < team->size; i++)
        while (team->members[i]) pthread_cond_wait(&tiny_changed, &tiny_mutex);
    pthread_mutex_unlock(&tiny_mutex);
    thread->task = encountering;
    ompd_bp_parallel_end();
    thread->team = team->parent;
    thread->number = number;
    thread->state = state;
    for (int i = 0; i < team->size; i++) drop_record(team->implicit[i]);
    drop_record(team);
    encountering->enter_frame = 0;
}

/* Locks. */

EXPORT void omp_init_lock(omp_lock_t *lock) { lock->held = 0; }

EXPORT void omp_set_lock(omp_lock_t *lock) {
    struct tiny_thread *thread = self();
    const int64_t state = thread->state;
    thread->task->enter_frame = (uint64_t)__builtin_dwarf_cfa();
    pthread_mutex_lock(&tiny_mutex);
    while (lock->held) {
        thread->wait_id = (uint64_t)lock;
        thread->state = WAIT_LOCK;
        pthread_cond_wait(&tiny_changed, &tiny_mutex);
    }
    lock->held = 1;
    pthread_mutex_unlock(&tiny_mutex);
    thread->state = state;
    thread->wait_id = 0;
    thread->task->enter_frame = 0;
}

EXPORT void omp_unset_lock(omp_lock_t *lock) {
    pthread_mutex_lock(&tiny_mutex);
    lock->held = 0;
    pthread_cond_broadcast(&tiny_changed);
    pthread_mutex_unlock(&tiny_mutex);
}

/* Questions. */

/* The thread's number in its team at LEVEL, and that team; NULL if there is none. */
static const struct tiny_team *team_at(int level, int *number) {
    const struct tiny_team *team = self()->team;
    *number = self()->number;
    if (level < 0) return NULL;
    while (team && team->level != level) {
        *number = team->encountering_number;
        team = team->level > level ? team->parent : NULL;
    }
    return team;
}

static struct tiny_icvs *own_icvs(void) { return &self()->task->icvs; }

EXPORT int omp_get_thread_num(void) { return self()->number; }
EXPORT int omp_get_num_threads(void) { return self()->team->size; }
EXPORT int omp_get_level(void) { return self()->team->level; }
EXPORT int omp_get_active_level(void) { return self()->team->active_level; }
EXPORT int omp_get_ancestor_thread_num(int level) {
    int number;
    return team_at(level, &number) ? number : -1;
}
EXPORT int omp_get_team_size(int level) {
    int number;
    const struct tiny_team *team = team_at(level, &number);
    return team ? team->size : -1;
}
EXPORT int omp_in_parallel(void) { return self()->team->active_level > 0; }
EXPORT int omp_in_final(void) { return self()->task->final; }
EXPORT int omp_get_team_num(void) { return 0; }
EXPORT int omp_get_num_teams(void) { return 1; }
EXPORT void omp_get_schedule(omp_sched_t *kind, int *chunk) {
    *kind = (omp_sched_t)own_icvs()->schedule_kind;
    *chunk = own_icvs()->schedule_chunk;
}
EXPORT void omp_set_schedule(omp_sched_t kind, int chunk) {
    own_icvs()->schedule_kind = (int)kind;
    own_icvs()->schedule_chunk = chunk;
}
EXPORT int omp_get_max_threads(void) { return own_icvs()->nthreads[0]; }
EXPORT void omp_set_num_threads(int count) {
    own_icvs()->nthreads[0] = count;
    own_icvs()->nthreads_count = 1;
}
EXPORT int omp_get_dynamic(void) { return own_icvs()->dynamic; }
EXPORT void omp_set_dynamic(int on) { own_icvs()->dynamic = on != 0; }
EXPORT int omp_get_max_active_levels(void) { return own_icvs()->max_active_levels; }
EXPORT void omp_set_max_active_levels(int levels) { own_icvs()->max_active_levels = levels; }
EXPORT omp_proc_bind_t omp_get_proc_bind(void) { return (omp_proc_bind_t)own_icvs()->bind[0]; }
EXPORT int omp_get_thread_limit(void) { return own_icvs()->thread_limit; }
EXPORT int omp_get_num_procs(void) { return self() ? tiny_process.num_procs : 0; }
EXPORT int omp_get_cancellation(void) { return tiny_process.cancellation; }
EXPORT int omp_get_default_device(void) { return own_icvs()->default_device; }
EXPORT int omp_get_max_task_priority(void) { return tiny_process.max_task_priority; }
/* The name by which the programs of the tests ask for it. */
EXPORT size_t kmp_get_stacksize_s(void) { return self() ? tiny_process.stack_size : 0; }
EXPORT unsigned long tiny_thread_id(void) { return self()->id; }
EXPORT unsigned long tiny_team_id(void) { return self()->team->id; }
EXPORT unsigned long tiny_task_id(void) { return self()->task->id; }
