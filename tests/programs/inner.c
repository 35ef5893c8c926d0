/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread of a team begins regions of one thread, by each of the ways there are, and writes
   down before its team's barrier that it has come there. */
#include <omp.h>

enum { THREADS = 3, REGIONS = 20 };

/* The debugger reads it. */
volatile int come[THREADS];

static volatile int regions[THREADS];

static __attribute__((noinline)) void team(int nested) {
#pragma omp parallel num_threads(THREADS)
    {
        const int me = omp_get_thread_num();
        for (int i = 0; i < REGIONS; ++i) {
#pragma omp parallel num_threads(1)
            regions[me]++;
#pragma omp parallel if (nested)
            regions[me]++;
        }
        come[me] = 1;
    }
}

int main(void) {
    for (int rounds = 0; rounds < 200; ++rounds) {
        for (int i = 0; i < THREADS; ++i)
            come[i] = 0;
        team(0);
    }
    return 0;
}
