/* SPDX-License-Identifier: Apache-2.0 */
/* A reader is at the barrier that a writer is to come to. */
#include "hangs.h"

static pthread_rwlock_t guarded = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            pthread_rwlock_rdlock(&guarded);
            meet(2);
        } else {
            meet(2);
            pthread_rwlock_wrlock(&guarded); /* expect: deadlock */ /* says: rwlock */
        }
#pragma omp barrier /* expect: deadlock */
        pthread_rwlock_unlock(&guarded);
    }
    return 0;
}
