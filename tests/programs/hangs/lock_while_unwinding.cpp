// SPDX-License-Identifier: Apache-2.0
// An exception's way out destroys an object that wants a lock of a thread at the barrier, to which
// two parts of the region's optimised code jump.
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>

static omp_lock_t gate;
static int noted;
static std::atomic<int> come;

static void meet(int n) {
    come++;
    while (come < n)
        sched_yield();
}

struct Note {
    int number;
    ~Note() {
        omp_set_lock(&gate); /* expect: deadlock */
        noted += number;
        omp_unset_lock(&gate);
    }
};

static void fail(int number) {
    Note note{number};
    throw std::runtime_error("it fails");
}

int main() {
    omp_init_lock(&gate);
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(3)
    {
        const int number = omp_get_thread_num();
        if (number == 2) {
            omp_set_lock(&gate);
            meet(2);
        } else if (number == 1) {
            meet(2);
            try {
                fail(number);
            } catch (...) {
                noted++;
            }
        }
#pragma omp barrier /* expect: deadlock */
        if (number == 2)
            omp_unset_lock(&gate);
    }
    return 0;
}
