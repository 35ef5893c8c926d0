/* SPDX-License-Identifier: Apache-2.0 */
/* A function that is called from a region: the variables are in the callers' frames. */
#include <omp.h>

static volatile int seen[4];

static __attribute__((noinline)) void look(int k) {
    seen[k]++;
#pragma omp barrier
    seen[k]++; /* all are here */
}

int main(void) {
    double rate = 2.5;
#pragma omp parallel num_threads(4)
    {
        int own = omp_get_thread_num() * 10;
        look(own / 10);
        seen[own / 10] += own + (rate > 1);
    }
    return 0;
}
