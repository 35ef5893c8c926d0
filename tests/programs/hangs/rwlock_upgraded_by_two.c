/* SPDX-License-Identifier: Apache-2.0 */
/* Two readers want to write: each waits for the other to let go, and for itself. */
#include "hangs.h"

/* says: pthread rwlock "cache": GDB threads 1-2 waiting, read by GDB threads 1-2 (inferred */
static pthread_rwlock_t cache = PTHREAD_RWLOCK_INITIALIZER;

static __attribute__((noinline)) void fill(void) {
    pthread_rwlock_wrlock(&cache); /* expect: deadlock */
    work(1);
    pthread_rwlock_unlock(&cache);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        pthread_rwlock_rdlock(&cache);
        meet(2);
        fill();
        pthread_rwlock_unlock(&cache);
    }
    return 0;
}
