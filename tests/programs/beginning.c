/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread writes down which region it has begun last, and which it has ended. */
#include <omp.h>

enum { THREADS = 8, REGIONS = 400 };

/* The debugger reads these. */
volatile int begun[THREADS];
volatile int ended[THREADS];
volatile int region;
volatile double sum;

/* One thread of each region calls it. */
static __attribute__((noinline)) void chosen(void) {
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
        region = number;
#pragma omp parallel num_threads(THREADS)
        body(number);
    }
    return 0;
}
