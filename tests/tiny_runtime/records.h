/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tiny runtime keeps of a program: its own records, in no other runtime's layout.
 * Its OMPD library reads them whole, each with one read.
 */
#ifndef TINY_RECORDS_H
#define TINY_RECORDS_H

#include <stdint.h>

enum {
    TINY_LAYOUT = 7,
    TINY_MAX_THREADS = 64,
    TINY_MAX_TEAM = 32,
    TINY_MAX_LIST = 4,
    TINY_SETTINGS = 512
};

/* Each record begins with its kind's mark while it is in use. */
#define TINY_THREAD_MARK UINT64_C(0x7468726561642121)
#define TINY_TEAM_MARK UINT64_C(0x7465616d2d2d2121)
#define TINY_TASK_MARK UINT64_C(0x7461736b2d2d2121)

/* The task's ICVs. */
struct tiny_icvs {
    int32_t nthreads[TINY_MAX_LIST]; /* one for each level of regions */
    int32_t nthreads_count;
    int32_t dynamic;
    int32_t schedule_kind, schedule_chunk, schedule_monotonic;
    int32_t max_active_levels;
    int32_t thread_limit;
    int32_t bind[TINY_MAX_LIST]; /* one for each level of regions */
    int32_t bind_count;
    int32_t default_device;
};

enum tiny_task_kind { TINY_INITIAL = 1, TINY_IMPLICIT = 2, TINY_EXPLICIT = 3 };

struct tiny_task {
    uint64_t mark;
    uint64_t id;
    int32_t kind, final;
    struct tiny_team *team;
    struct tiny_task *generating, *scheduling;
    void (*function)(void *);
    void *argument;
    /* Canonical frame addresses of the runtime's functions, 0 where there is none. */
    uint64_t exit_frame, enter_frame;
    struct tiny_icvs icvs;
    int32_t children; /* explicit tasks that have not ended */
    int32_t number;   /* of the thread, for an implicit task */
    struct tiny_task *next;
    uint64_t tool_value;
    void *tool_pointer;
};

struct tiny_team {
    uint64_t mark;
    uint64_t id;
    struct tiny_team *parent;
    struct tiny_task *encountering;
    int32_t encountering_number; /* the thread number of who met the construct */
    int32_t level, active_level, size;
    struct tiny_thread *members[TINY_MAX_TEAM];
    struct tiny_task *implicit[TINY_MAX_TEAM];
    int32_t arrived, round, pending;
    struct tiny_task *queue;
    uint64_t tool_value;
    void *tool_pointer;
};

struct tiny_thread {
    uint64_t mark;
    uint64_t id;
    uint64_t pthread;
    int32_t lwp;
    int32_t number;
    struct tiny_team *team; /* NULL while it is idle */
    struct tiny_task *task;
    int64_t state;
    uint64_t wait_id;
    uint64_t tool_value;
    void *tool_pointer;
    char padding[96]; /* far more than a register holds */
};

struct tiny_process {
    int32_t layout;
    int32_t thread_count;
    struct tiny_thread *threads[TINY_MAX_THREADS];
    int32_t num_procs, cancellation, max_task_priority, display_affinity;
    uint64_t stack_size;
    uint64_t unreadable; /* an address that no memory can have */
    const char *affinity_format;
    int32_t settings_size;
    char settings[TINY_SETTINGS]; /* "NAME=value" one after the other, each with its NUL */
};

/* The mark of the runtime's file: the program may have a variable of the same name. */
enum { TINY_SHADOWED = 20111 };

#endif
