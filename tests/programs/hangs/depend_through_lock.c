/* SPDX-License-Identifier: Apache-2.0 */
/* A wait for a dependence, on a task that waits for a lock held across it. */
#include "hangs.h"

static omp_lock_t owned;

int main(void) {
    int value = 0;
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        {
            omp_set_lock(&owned);
#pragma omp task depend(out : value) shared(value)
            {
                meet(2);
                omp_set_lock(&owned); /* expect: deadlock */
                value = 1;
                omp_unset_lock(&owned);
            }
            meet(2);
#pragma omp task depend(in : value) shared(value) if (0) /* expect: deadlock */
            work(value);
            omp_unset_lock(&owned);
        }
    }
    return 0;
}
