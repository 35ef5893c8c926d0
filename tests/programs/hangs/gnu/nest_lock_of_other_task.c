/* SPDX-License-Identifier: Apache-2.0 */
/* A task has a nest lock, and its child, which the same thread executes, wants it: GCC's runtime
 * gives it to a task, LLVM's to a thread. */
#include "../hangs.h"

static omp_nest_lock_t gate;

int main(void) {
    omp_init_nest_lock(&gate);
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        {
            omp_set_nest_lock(&gate);
#pragma omp task if (0)
            {
                omp_set_nest_lock(&gate); /* expect: deadlock */
                work(1);
                omp_unset_nest_lock(&gate);
            }
            omp_unset_nest_lock(&gate);
        }
    }
    return 0;
}
