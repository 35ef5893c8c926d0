/* SPDX-License-Identifier: Apache-2.0 */
/* A function returns with the lock; then the whole team waits for it, its holder too. */
#include "hangs.h"

static omp_lock_t lock;

static __attribute__((noinline)) void begin(void) { omp_set_lock(&lock); }

static __attribute__((noinline)) void want(void) {
    meet(4);
    omp_set_lock(&lock); /* expect: deadlock|waiting */
    work(1);
    omp_unset_lock(&lock);
}

int main(void) {
    omp_init_lock(&lock);
    ready();
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        begin();
        want();
    }
    return 0;
}
