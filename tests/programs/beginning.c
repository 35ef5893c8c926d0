/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread writes down which region it has begun last, and which it has ended. */
#include <omp.h>
#include <unistd.h>

enum { THREADS = 8, REGIONS = 1000 };

/* The debugger reads these. */
volatile int begun[THREADS];
volatile int ended[THREADS];
volatile int region;
volatile double sum;

/* One thread of each region calls it. */
static __attribute__((noinline)) void chosen(void) {
    sum += 1;
}

/* Before a region whose workers have all come to rest after the last one. */
static __attribute__((noinline)) void rested(void) {
    sum += 1;
}

static __attribute__((noinline)) void body(int number) {
    const int me = omp_get_thread_num();
    begun[me] = number;
    if (me == number % THREADS) {
        chosen();
    }
    for (int i = 0; i < 2000; ++i) {
        sum += i;
    }
    ended[me] = number;
}

int main(void) {
    for (int number = 1; number <= REGIONS; ++number) {
        if (number % 100 == 2) {
            usleep(100000);
            rested();
        }
        region = number;
#pragma omp parallel num_threads(THREADS)
        body(number);
    }
    return 0;
}
