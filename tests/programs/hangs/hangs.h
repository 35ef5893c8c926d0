/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that stops making progress (or, in the healthy ones, does not), and says so:
 * "ready" once its threads are where gdb is to find them, or soon will be.
 */
#ifndef HANGS_H
#define HANGS_H

#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static __attribute__((unused)) atomic_int hangs_count;

/* Wait until N threads have come here. */
static __attribute__((unused)) void meet(int n) {
    atomic_fetch_add(&hangs_count, 1);
    while (atomic_load(&hangs_count) < n)
        sched_yield();
}

static __attribute__((unused)) void ready(void) {
    puts("ready");
    fflush(stdout);
}

/* Something to do. */
static __attribute__((unused)) void work(int n) {
    static atomic_long sum;
    for (int i = 0; i < n; i++)
        atomic_fetch_add_explicit(&sum, i, memory_order_relaxed);
}

#endif
