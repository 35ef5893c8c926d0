// SPDX-License-Identifier: Apache-2.0
/* A thread makes a static object and waits in its constructor for one that wants it. */
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

static void meet(int n) {
    static std::atomic<int> count{0};
    count++;
    while (count < n)
        sched_yield();
}

struct Slow {
    Slow() {
        meet(2);
#pragma omp barrier /* expect: deadlock */
    }
    int value = 1;
};

static __attribute__((noinline)) int the_object() {
    static Slow slow; /* expect: deadlock */
    return slow.value;
}

static __attribute__((noinline)) int late() {
    meet(2);
    usleep(1000);
    int value = the_object();
#pragma omp barrier
    return value;
}

int main() {
    std::puts("ready");
    std::fflush(stdout);
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_thread_num() == 0 ? the_object() : late();
    return sum;
}
