/* SPDX-License-Identifier: Apache-2.0 */
/* Who sets a lock is decided at a branch: the code tells only who may have. */
#include "hangs.h"

static omp_lock_t files;

static void close_all(void) {
    omp_set_lock(&files); /* expect: deadlock */ /* says: held by one of GDB threads 1-2 */
    omp_unset_lock(&files);
}

int main(void) {
    omp_init_lock(&files);
    ready();
#pragma omp parallel num_threads(3)
    {
        const int number = omp_get_thread_num();
        if (number == 0)
            omp_set_lock(&files);
        meet(3);
        if (number == 2)
            close_all();
#pragma omp barrier /* expect: deadlock */
        if (number == 0)
            omp_unset_lock(&files);
    }
    return 0;
}
