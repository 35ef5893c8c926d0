/* SPDX-License-Identifier: Apache-2.0 */
/* A thread yields to tasks until a task that is queued has been executed: LLVM's runtime does that
 * there, GCC's does nothing. */
#include <omp.h>

static volatile int is_there, is_done, may_end;

int main(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        while (!is_there)
            ;
#pragma omp task
        is_done = 1;
        while (!is_done) {
#pragma omp taskyield
        }
        may_end = 1;
    } else {
        is_there = 1;
        while (!may_end)
            ;
    }
    return 0;
}
