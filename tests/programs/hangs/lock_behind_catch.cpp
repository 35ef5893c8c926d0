// SPDX-License-Identifier: Apache-2.0
/* A thread that has caught an exception still has its lock, and waits for who wants it. */
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdio>

static omp_lock_t lock;
static std::atomic<int> held;

static __attribute__((noinline)) void keep() {
    omp_set_lock(&lock);
    try {
        throw 1;
    } catch (int) {
        held = 1;
    }
#pragma omp barrier
    omp_unset_lock(&lock);
}

static __attribute__((noinline)) void want() {
    while (held == 0)
        sched_yield();
    omp_set_lock(&lock); /* expect: deadlock|waiting */
    omp_unset_lock(&lock);
#pragma omp barrier
}

int main() {
    omp_init_lock(&lock);
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        keep();
    else
        want();
    return 0;
}
