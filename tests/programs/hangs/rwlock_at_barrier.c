/* SPDX-License-Identifier: Apache-2.0 */
/* A reader is at the barrier that a writer is to come to, and another reader behind the writer. */
#include "hangs.h"

static pthread_rwlock_t guarded; /* says: pthread rwlock "guarded": GDB threads 2-3 waiting */

int main(void) {
    pthread_rwlockattr_t writers_first;
    pthread_rwlockattr_init(&writers_first);
    pthread_rwlockattr_setkind_np(&writers_first, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&guarded, &writers_first);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            pthread_rwlock_rdlock(&guarded);
            meet(2);
        } else if (omp_get_thread_num() == 1) {
            meet(2);
            pthread_rwlock_wrlock(&guarded); /* expect: deadlock */
        } else {
            while (pthread_rwlock_tryrdlock(&guarded) == 0)
                pthread_rwlock_unlock(&guarded);
            pthread_rwlock_rdlock(&guarded); /* expect: deadlock */
        }
#pragma omp barrier /* expect: deadlock */
        pthread_rwlock_unlock(&guarded);
    }
    return 0;
}
