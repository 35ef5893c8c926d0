/* SPDX-License-Identifier: Apache-2.0 */
/* A nest lock is taken twice and released once; its owner has gone to the barrier. */
#include "hangs.h"

static omp_nest_lock_t nest;

static __attribute__((noinline)) void twice(void) {
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    work(1);
    omp_unset_nest_lock(&nest);
    meet(3);
}

static __attribute__((noinline)) void want(void) {
    meet(3);
    omp_set_nest_lock(&nest); /* expect: deadlock|waiting */
    work(1);
    omp_unset_nest_lock(&nest);
}

int main(void) {
    omp_init_nest_lock(&nest);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            twice();
        else
            want();
#pragma omp barrier /* expect: deadlock|waiting */
    }
    return 0;
}
