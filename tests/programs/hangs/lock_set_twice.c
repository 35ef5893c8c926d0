/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits for its own lock, which another one only tries, and lets go when it has got it. */
#include "hangs.h"

static omp_lock_t own;

static __attribute__((noinline)) void twice(void) {
    omp_set_lock(&own);
    ready();
    omp_set_lock(&own); /* expect: deadlock */
    work(1);
    omp_unset_lock(&own);
}

static __attribute__((noinline)) void let_go(void) { omp_unset_lock(&own); }

int main(void) {
    omp_init_lock(&own);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            twice();
        while (omp_get_thread_num() == 2) {
            usleep(1000);
            if (omp_test_lock(&own))
                let_go();
        }
    }
    return 0;
}
