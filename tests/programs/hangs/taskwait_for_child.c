/* SPDX-License-Identifier: Apache-2.0 */
/* A task waits for its child, which waits for a lock of its parent. */
#include "hangs.h"

static omp_lock_t owned;

int main(void) {
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        {
            omp_set_lock(&owned);
#pragma omp task
            {
                meet(2);
                omp_set_lock(&owned); /* expect: deadlock */
                omp_unset_lock(&owned);
            }
            meet(2);
#pragma omp taskwait /* expect: deadlock */
            omp_unset_lock(&owned);
        }
    }
    return 0;
}
