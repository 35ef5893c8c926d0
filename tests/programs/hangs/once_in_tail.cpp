/* SPDX-License-Identifier: Apache-2.0 */
/* A routine that is executed once ends with a barrier, for a thread that waits for the routine. */
#include <atomic>
#include <cstdio>
#include <mutex>

#include <omp.h>
#include <sched.h>

static std::once_flag made; /* says: pthread_once "made" */
static std::atomic<int> present;

static void meet() {
    for (++present; present < 2;)
        sched_yield();
}

__attribute__((noinline)) static void await_all() {
#pragma omp barrier
}

__attribute__((noinline)) static void make() {
    meet();
    await_all();
}

int main() {
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            meet();
        std::call_once(made, make); /* expect: deadlock */
    }
    return 0;
}
