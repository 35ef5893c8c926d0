/* SPDX-License-Identifier: Apache-2.0 */
/* A region is cancelled while one of its threads is at a barrier that does not heed that. */
#include "hangs.h"

static __attribute__((noinline)) void together(void) {
#pragma omp barrier /* expect: deadlock */
    work(1);
}

int main(void) {
    setenv("OMP_CANCELLATION", "true", 1);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1) {
            together();
        } else {
            meet(2);
#pragma omp cancel parallel
            work(1);
        }
    }
    return 0;
}
