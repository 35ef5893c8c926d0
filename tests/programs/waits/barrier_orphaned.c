/* SPDX-License-Identifier: Apache-2.0 */
/* An explicit barrier in a function that the region calls. */
#include "waits.h"

static __attribute__((noinline)) void meet(void) {
    WAIT("explicit barrier", NULL, NULL, 1);
#pragma omp barrier
    atomic_fetch_add(&waits_ready, 1);
}

int main(void) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            waits_lead(2);
        meet();
    }
    return 0;
}
