/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads of C++'s library have a team each, whose workers want each other's lock: optimised, the
 * functions of these threads jump to begin their region, and have no frame. */
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <thread>

static omp_lock_t left, right;
static std::atomic<int> come{0};

static void meet() {
    ++come;
    while (come < 2)
        sched_yield();
}

static void from_left() {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        omp_set_lock(&left);
        meet();
        omp_set_lock(&right); /* expect: deadlock */
        omp_unset_lock(&right);
        omp_unset_lock(&left);
    }
}

static void from_right() {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        omp_set_lock(&right);
        meet();
        omp_set_lock(&left); /* expect: deadlock */
        omp_unset_lock(&left);
        omp_unset_lock(&right);
    }
}

int main() {
    omp_init_lock(&left);
    omp_init_lock(&right);
    std::puts("ready");
    std::fflush(stdout);
    std::thread one(from_left), other(from_right);
    one.join();
    other.join();
    return 0;
}
