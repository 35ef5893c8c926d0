/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose every thread knows what it is about to wait for.
 *
 * Each thread records its row and goes on into the runtime, or stays in its own code.
 * One leads: it lets the others arrive, then calls waits_stop(), where gdb breaks, and
 * the program is over. A thread without a row is an idle worker.
 */
#ifndef WAITS_H
#define WAITS_H

#define _GNU_SOURCE
#include <dirent.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAITS_MAX_ROWS = 64 };

/* KIND is "" for a thread that waits for nothing; NAME is null where there is none,
   LINE 0 where it is not one line. A critical's OBJECT is null: it is the compiler's,
   and has no name in C. */
struct waits_row {
    int lwp;
    const char *kind;
    const void *object;
    const char *name;
    int line;
};

/* The debugger reads these two. */
static struct waits_row waits_rows[WAITS_MAX_ROWS];
static atomic_int waits_count;

static __attribute__((unused)) atomic_int waits_ready, waits_queued;

/* The calling thread will now wait in the runtime, at the line LINES below. */
#define WAIT(kind, object, name, lines) waits_record((kind), (object), (name), __LINE__ + (lines))

/* Another thread may go on: what it is to find is there. */
#define READY() atomic_store(&waits_ready, 1)
#define AWAIT_READY() (atomic_store(&waits_queued, 1), waits_until(&waits_ready))
/* Another thread has made its tasks. Who comes to the barrier sooner may sleep there and, once
   in many runs of libomp 19, not be woken for them. */
#define AWAIT_TASKS() waits_until(&waits_queued)

static __attribute__((unused)) void waits_until(atomic_int *is) {
    while (!atomic_load(is))
        sched_yield();
}

static __attribute__((unused)) void waits_record(const char *kind, const void *object,
                                                 const char *name, int line) {
    static atomic_int taken;
    const struct waits_row row = {(int)syscall(SYS_gettid), kind, object, name, line};
    waits_rows[atomic_fetch_add(&taken, 1)] = row;
    atomic_fetch_add(&waits_count, 1);
}

/* Stay in the program's own code for good. */
static __attribute__((unused, noinline)) void waits_hold(void) {
    waits_record("", NULL, NULL, 0);
    for (;;)
        usleep(100000);
}

static long long waits_cpu_time(int lwp) {
    struct timespec spent = {0, 0};
    /* Linux's clock of any thread of the process: see clock_getcpuclockid(3). */
    clock_gettime((clockid_t)((~(unsigned)lwp << 3) | 6u), &spent);
    return spent.tv_sec * 1000000000LL + spent.tv_nsec;
}

static char waits_scheduler_state(int lwp) {
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", lwp);
    FILE *file = fopen(path, "r");
    if (!file)
        return 'S'; /* it has ended since: gcc's runtime dismisses those too many for a region */
    const int is_read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    if (!is_read)
        return 'S';
    return strrchr(line, ')')[2];
}

/* A thread is where it will stay when it sleeps, or when it has run far longer than
   the way there takes, by its own clock. */
static void waits_settle(int lwp) {
    const long long before = waits_cpu_time(lwp);
    while (waits_scheduler_state(lwp) != 'S' && waits_cpu_time(lwp) - before < 3000000)
        sched_yield();
}

static __attribute__((noinline)) void waits_stop(void) {
    for (int i = 0; i < atomic_load(&waits_count); i++)
        printf("%d %s %p %s %d\n", waits_rows[i].lwp, waits_rows[i].kind, waits_rows[i].object,
               waits_rows[i].name ? waits_rows[i].name : "-", waits_rows[i].line);
    fflush(stdout);
}

/* Stop when OTHERS have recorded, and every thread is where it will stay. */
static __attribute__((noinline)) void waits_lead(int others) {
    while (atomic_load(&waits_count) < others)
        sched_yield();
    waits_record("", NULL, NULL, 0);
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        abort();
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        const int lwp = atoi(task->d_name);
        if (lwp != 0 && lwp != (int)syscall(SYS_gettid))
            waits_settle(lwp);
    }
    closedir(tasks);
    waits_stop();
    _exit(0);
}

#endif
