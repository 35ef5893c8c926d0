/* SPDX-License-Identifier: Apache-2.0 */
/* A writer is at the barrier that a reader and another writer are to come to. */
#include "hangs.h"

static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER; /* says: pthread rwlock "written" */

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num();
        if (me == 0)
            pthread_rwlock_wrlock(&written);
        meet(3);
        if (me == 1)
            pthread_rwlock_rdlock(&written); /* expect: deadlock */
        if (me == 2)
            pthread_rwlock_wrlock(&written); /* expect: deadlock */
#pragma omp barrier
        pthread_rwlock_unlock(&written);
    }
    return 0;
}
