/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads in regions that bind them otherwise each time, and that bind themselves to one CPU
   after the other, each with its own record of where it is. A record counts while it is not CHANGING. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 1000000

volatile int changing[THREADS];
int lwps[THREADS], cpus[THREADS], places[THREADS], firsts[THREADS], lasts[THREADS];
long long nanoseconds[THREADS];
volatile int come;
__attribute__((noinline)) void stop_here(void) { __asm__ volatile("" ::: "memory"); }

static void record_place(int number) {
    int partition[64];
    const int count = omp_get_partition_num_places();
    omp_get_partition_place_nums(partition);
    lwps[number] = gettid();
    places[number] = omp_get_place_num();
    firsts[number] = count > 0 ? partition[0] : -1;
    lasts[number] = count > 0 ? partition[count - 1] : -1;
}

static void bind_to(int number, int cpu) {
    cpu_set_t mask;
    struct timespec spent;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    sched_setaffinity(0, sizeof mask, &mask);
    cpus[number] = sched_getcpu();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    nanoseconds[number] = spent.tv_sec * 1000000000LL + spent.tv_nsec;
}

static void work(const cpu_set_t *all) {
    const int number = omp_get_thread_num();
    int cpu = number;
    changing[number] = 1;
    record_place(number);
    for (int i = 0; i < 20; i++) {
        changing[number] = 1;
        __sync_synchronize();
        do
            cpu = (cpu + 1) % CPU_SETSIZE;
        while (!CPU_ISSET(cpu, all));
        bind_to(number, cpu);
        __sync_synchronize();
        changing[number] = 0;
        if (i == 10) {
            __sync_fetch_and_add(&come, 1);
            while (come < THREADS)
                sched_yield();
            if (number == 1)
                stop_here();
        }
    }
    changing[number] = 1;
}

int main(void) {
    cpu_set_t all;
    sched_getaffinity(getpid(), sizeof all, &all);
    for (int cpu = 0; cpu < 4; cpu++)  /* the runtime may have bound this thread already */
        CPU_SET(cpu, &all);
    sched_setaffinity(0, sizeof all, &all);
    sched_getaffinity(0, sizeof all, &all);
    for (int round = 0; round < ROUNDS; round++) {
        come = 0;
        if (round % 2 == 0) {
#pragma omp parallel num_threads(THREADS) proc_bind(spread)
            work(&all);
        } else {
#pragma omp parallel num_threads(THREADS) proc_bind(close)
            work(&all);
        }
    }
    return 0;
}
