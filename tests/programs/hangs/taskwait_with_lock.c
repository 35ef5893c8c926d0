/* SPDX-License-Identifier: Apache-2.0 */
/* A thread has a lock and waits for a task that wants it. */
#include "hangs.h"

static omp_lock_t owned;

int main(void) {
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            omp_set_lock(&owned);
#pragma omp task
            {
                omp_set_lock(&owned); /* expect: deadlock */ /* says: owned */
                omp_unset_lock(&owned);
            }
#pragma omp taskwait
            omp_unset_lock(&owned);
        }
    }
    return 0;
}
