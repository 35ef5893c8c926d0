/* SPDX-License-Identifier: Apache-2.0 */
/* A thread has the lock of stdout at a barrier; the others want to print. */
#include "hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            flockfile(stdout);
        meet(3);
        if (omp_get_thread_num() != 0)
            puts("late"); /* expect: deadlock */ /* says: lock of puts() */
#pragma omp barrier                              /* expect: deadlock */
    }
    return 0;
}
