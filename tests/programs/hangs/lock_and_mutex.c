/* SPDX-License-Identifier: Apache-2.0 */
/* A lock of the runtime's and a mutex, taken in both orders. */
#include "hangs.h"

static omp_lock_t owned;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&owned);
            meet(2);
            pthread_mutex_lock(&guard); /* expect: deadlock */ /* says: "guard" */
            pthread_mutex_unlock(&guard);
            omp_unset_lock(&owned);
        } else {
            pthread_mutex_lock(&guard);
            meet(2);
            omp_set_lock(&owned); /* expect: deadlock */ /* says: owned */
            omp_unset_lock(&owned);
            pthread_mutex_unlock(&guard);
        }
    }
    return 0;
}
