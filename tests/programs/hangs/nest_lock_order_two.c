/* SPDX-License-Identifier: Apache-2.0 */
/* Two nestable locks, set in both orders. */
#include "hangs.h"

static omp_nest_lock_t first, second;

/* Apart from each other, or the compiler makes one call of both. */
static __attribute__((noinline)) void forth(void) {
    omp_set_nest_lock(&first);
    omp_set_nest_lock(&first);
    meet(2);
    omp_set_nest_lock(&second); /* expect: deadlock */ /* says: "second" */
    omp_unset_nest_lock(&second);
}

static __attribute__((noinline)) void back(void) {
    omp_set_nest_lock(&second);
    meet(2);
    omp_set_nest_lock(&first); /* expect: deadlock */ /* says: "first" */
    omp_unset_nest_lock(&first);
}

int main(void) {
    omp_init_nest_lock(&first);
    omp_init_nest_lock(&second);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            forth();
        else
            back();
    }
    return 0;
}
