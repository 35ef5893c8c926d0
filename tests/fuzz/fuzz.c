/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One stop with everything in it that the commands read: regions three deep, a
 * serialized one, task chains, tasks in a queue, and threads that wait at a
 * barrier, for a lock, a critical section, their tasks and a POSIX mutex.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;

void fuzz_is_here(void) {
    __asm__ volatile("" ::: "memory");
}

static void arrive(void) {
    atomic_fetch_add(&ready, 1);
}

static void *native(void *nothing) {
    arrive();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return nothing;
}

static void stop(void) {
    while (atomic_load(&ready) < 7) sched_yield();
    usleep(200000); /* those that have arrived now wait */
    fuzz_is_here();
}

static void descend(int depth) {
#pragma omp task firstprivate(depth)
    {
        if (depth > 0) {
            descend(depth - 1);
        } else {
#pragma omp parallel num_threads(1)
            {
#pragma omp parallel num_threads(1)
                stop();
            }
        }
    }
#pragma omp taskwait
}

static void inner(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(gate)
            {
#pragma omp parallel num_threads(2)
                {
                    if (omp_get_thread_num() == 0) {
                        for (int queued = 0; queued < 5; queued++) {
#pragma omp task firstprivate(queued)
                            (void)queued;
                        }
                        descend(3);
                        omp_unset_nest_lock(&nest_lock);
                    } else {
                        arrive();
                        omp_set_nest_lock(&nest_lock);
                        omp_unset_nest_lock(&nest_lock);
                    }
                }
            }
        } else {
            arrive();
#pragma omp critical(gate)
            (void)ready;
        }
    }
}

static void outer(int thread_num) {
    if (thread_num == 0) {
        inner();
        omp_unset_lock(&lock);
    } else if (thread_num == 1) {
        arrive();
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    } else if (thread_num == 2) {
        arrive();
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    } else {
        arrive();
    }
}

int main(void) {
    pthread_t thread;
    omp_set_max_active_levels(4);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    omp_set_lock(&lock);
    omp_set_nest_lock(&nest_lock);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, native, NULL);
#pragma omp parallel num_threads(5)
    {
        outer(omp_get_thread_num());
#pragma omp barrier
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
