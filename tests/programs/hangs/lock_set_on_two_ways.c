/* SPDX-License-Identifier: Apache-2.0 */
/* A thread at a barrier has set a lock that another waits for, by one of two calls. */
#include "hangs.h"

static omp_lock_t gate; /* says: waiting, held by GDB thread 1 */
static volatile int fast;

__attribute__((noinline)) static void hold(void) {
    if (fast) {
        omp_set_lock(&gate);
    } else {
        work(1);
        omp_set_lock(&gate);
        work(2);
    }
    meet(2);
#pragma omp barrier /* expect: deadlock */
    omp_unset_lock(&gate);
}

int main(void) {
    omp_init_lock(&gate);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            hold();
        } else {
            meet(2);
            omp_set_lock(&gate); /* expect: deadlock */
#pragma omp barrier
        }
    }
    return 0;
}
