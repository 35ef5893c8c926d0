/* SPDX-License-Identifier: Apache-2.0 */
/* GCC, optimising, has the body of the league's construct end with a jump to what begins the
   parallel region: no frame of the body is left. */
#include <omp.h>

static volatile int reached;

static __attribute__((noinline)) void body(void) {
    reached++;
}

/* The other teams have begun too: libomp is making none. */
static __attribute__((noinline)) void meet(void) {
    static int met;
    __atomic_add_fetch(&met, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&met, __ATOMIC_SEQ_CST) < omp_get_num_teams()) {
    }
}

static __attribute__((noinline)) void league(void) {
#pragma omp teams num_teams(2) thread_limit(2)
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            meet();
        body();
        reached++;
    }
}

int main(void) {
    league();
    return 0;
}
