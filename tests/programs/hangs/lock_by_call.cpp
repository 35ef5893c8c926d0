/* SPDX-License-Identifier: Apache-2.0 */
/* Which lock it is a call has told, whose result the code does not keep; a thread of the
   program's own waits for one of them, too. */
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> come{0};

static omp_lock_t forks[3];

static __attribute__((noinline)) omp_lock_t *fork_of(int number) {
    return &forks[number % 3];
}

static __attribute__((noinline)) void eat(int own) {
    omp_set_lock(fork_of(own));
    for (come++; come < 3;)
        sched_yield();
    omp_set_lock(fork_of(own + 1)); /* expect: deadlock */ /* says: lock "forks[1]" */
    omp_unset_lock(fork_of(own + 1));
    omp_unset_lock(fork_of(own));
}

static void watch() {
    while (come < 3)
        sched_yield();
    omp_set_lock(fork_of(0));
    omp_unset_lock(fork_of(0));
}

int main() {
    for (omp_lock_t &fork : forks)
        omp_init_lock(&fork);
    std::thread guest(watch);
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(3)
    eat(omp_get_thread_num());
    guest.join();
    return 0;
}
