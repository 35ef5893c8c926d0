/* SPDX-License-Identifier: Apache-2.0 */
/* GCC, optimising, has the body of the league's construct end with a jump to what begins the
   parallel region: no frame of the body is left. */
#include <omp.h>

static volatile int reached;

static __attribute__((noinline)) void body(void) {
    reached++;
}

static __attribute__((noinline)) void league(void) {
#pragma omp teams num_teams(2) thread_limit(2)
#pragma omp parallel num_threads(2)
    {
        body();
        reached++;
    }
}

int main(void) {
    league();
    return 0;
}
