/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "scene.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

struct scene_thread scene_threads[SCENE_THREADS];

static void (*tell)(enum scene_stop);
static atomic_int present, is_over;

static void register_as(int place) {
    scene_threads[place].pthread = (unsigned long)pthread_self();
    scene_threads[place].lwp = (int)syscall(SYS_gettid);
    atomic_fetch_add(&present, 1);
}

static void hold(void) {
    while (!atomic_load(&is_over)) usleep(1000);
}

static void task_body(void *unused) {
    (void)unused;
    while (atomic_load(&present) < SCENE_THREADS) sched_yield();
    tell(SCENE_IN_TASK);
    atomic_store(&is_over, 1);
}

#ifdef SCENE_TINY
#define PARALLEL(body, size) tiny_parallel(body, 0, size)
#define TASK(body) tiny_task(body, 0, TINY_UNDEFERRED)
#else
#define PRAGMA(text) _Pragma(#text)
#define PARALLEL(body, size) PRAGMA(omp parallel num_threads(size)) body(0)
#define TASK(body) PRAGMA(omp task if (0)) body(0)
#endif

static void inner_body(void *unused) {
    (void)unused;
    register_as(omp_get_thread_num());
    if (omp_get_thread_num() == 0)
        TASK(task_body);
    else
        hold();
}

static void outer_body(void *unused) {
    (void)unused;
    if (omp_get_thread_num() == 0) {
        PARALLEL(inner_body, SCENE_INNER);
    } else {
        register_as(SCENE_INNER + omp_get_thread_num() - 1);
        hold();
    }
}

void scene_run(void (*at_stop)(enum scene_stop)) {
    tell = at_stop;
    omp_set_max_active_levels(2);
    PARALLEL(outer_body, SCENE_OUTER);
    tell(SCENE_AFTER);
}
