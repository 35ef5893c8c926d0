/* SPDX-License-Identifier: Apache-2.0 */
/* A team that is slow for one reason: SLOW NAME THREADS.
   "even": all work. "inside": each has begun a team of its own of 4. "alone": each has begun one of
   1. "uneven": the first works between two stops, the others wait at the barrier. "one": they are
   bound to one CPU, "apart": to a CPU each as far as there are so many. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int ready, done;
static volatile double sums[64][16];

/* With STAY in the environment the second stop is where the program is when it is attached to. */
__attribute__((noinline)) void stop_here(void) {
    static int stops;
    __asm__ volatile("" ::: "memory");
    if (++stops == 2)
        while (getenv("STAY"))
            sums[62][1] += stops;
}

static void bind_to(const cpu_set_t *all, int which) {
    cpu_set_t mask;
    int cpu = 0;
    for (which %= CPU_COUNT(all);; cpu++)
        if (CPU_ISSET(cpu, all) && which-- == 0)
            break;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    sched_setaffinity(0, sizeof mask, &mask);
}

__attribute__((noinline)) static void work(int number, double seconds) {
    struct timespec now, begin;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        for (int i = 0; i < 1000; i++)
            sums[number][0] += i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) + (now.tv_nsec - begin.tv_nsec) / 1e9 < seconds);
}

/* All come, the first stops there twice, then all go on. */
static void meet(int is_first, int count) {
    __sync_fetch_and_add(&ready, 1);
    if (is_first) {
        while (ready < count)
            sched_yield();
        stop_here();
        stop_here();
        done = 1;
    } else {
        while (!done)
            for (int i = 0; i < 1000; i++)
                sums[63][1] += i;
    }
}

static void inside(int is_first, int size, int count) {
#pragma omp parallel num_threads(size)
    meet(is_first && omp_get_thread_num() == 0, count * size);
}

static void uneven(int number) {
    if (number == 0) {
        while (ready < 1)
            sched_yield();
        stop_here();
        work(0, 0.3);
        stop_here();
    } else {
        __sync_fetch_and_add(&ready, 1);
    }
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "even";
    const int threads = argc > 2 ? atoi(argv[2]) : 2;
    cpu_set_t all;
    sched_getaffinity(getpid(), sizeof all, &all);
    if (strcmp(how, "inside") == 0)
        omp_set_max_active_levels(2);
#pragma omp parallel num_threads(threads)
    {
        const int number = omp_get_thread_num();
        if (strcmp(how, "one") == 0)
            bind_to(&all, 0);
        if (strcmp(how, "apart") == 0)
            bind_to(&all, number);
        if (strcmp(how, "inside") == 0)
            inside(number == 0, 4, threads);
        else if (strcmp(how, "alone") == 0)
            inside(number == 0, 1, threads);
        else if (strcmp(how, "uneven") == 0)
            uneven(number);
        else
            meet(number == 0, threads);
    }
    return 0;
}
