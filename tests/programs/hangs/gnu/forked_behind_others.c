/* SPDX-License-Identifier: Apache-2.0 */
/* A worker forks where the rest of its team waits for it at a barrier. Its child passes that, as the
   runtime has counted them, and waits for them at the end of the region. */
#include "../hangs.h"

#include "../forked.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
        int is_child = 0;
        meet(3);
        if (omp_get_thread_num() == 1) {
            usleep(100000); /* or the child waits at the barrier */
            is_child = forked();
        }
        if (is_child)
            ready();
#pragma omp barrier /* expect: deadlock */
    }
    return 0;
}
