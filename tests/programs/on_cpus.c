/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads that work, or as many as there are CPUs, each with its own record of where it may
   run: "one" has them share one CPU
   from the start, "bound" from the region on. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int ready, done;
int threads;
int first_cpu[64], cpus[64], lwps[64];
long long nanoseconds[64];
__attribute__((noinline)) void stop_here(void) { __asm__ volatile("" ::: "memory"); }

static void bind_to(int cpu) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    sched_setaffinity(0, sizeof mask, &mask);
}

static void record(int number) {
    cpu_set_t mask;
    struct timespec spent;
    sched_getaffinity(0, sizeof mask, &mask);
    cpus[number] = CPU_COUNT(&mask);
    for (first_cpu[number] = 0; !CPU_ISSET(first_cpu[number], &mask);)
        first_cpu[number]++;
    lwps[number] = gettid();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    nanoseconds[number] = spent.tv_sec * 1000000000LL + spent.tv_nsec;
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "free";
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    int first = 0;
    while (!CPU_ISSET(first, &all))
        first++;
    threads = strcmp(how, "free") == 0 ? CPU_COUNT(&all) : 4;
    if (strcmp(how, "one") == 0)
        bind_to(first);
#pragma omp parallel num_threads(threads)
    {
        const int number = omp_get_thread_num();
        if (strcmp(how, "bound") == 0)
            bind_to(first);
        record(number);
#pragma omp atomic
        ready++;
        if (number == 0) {
            while (ready < threads)
                ;
            stop_here();
            stop_here();
            done = 1;
        } else {
            while (!done)
                ;
        }
    }
    return 0;
}
