/* SPDX-License-Identifier: Apache-2.0 */
/* A nest lock is held, twice, by a thread that waits at a barrier for those that want it. */
#include "hangs.h"

static omp_nest_lock_t nest;

/* Apart from each other, or the compiler makes one barrier of both. */
static __attribute__((noinline)) void hold(void) {
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    meet(3);
#pragma omp barrier /* expect: deadlock */
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
}

static __attribute__((noinline)) void want(void) {
    meet(3);
    omp_set_nest_lock(&nest); /* expect: deadlock */
    omp_unset_nest_lock(&nest);
#pragma omp barrier
}

int main(void) {
    omp_init_nest_lock(&nest);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            hold();
        else
            want();
    }
    return 0;
}
