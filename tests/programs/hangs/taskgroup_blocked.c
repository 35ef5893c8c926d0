/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a taskgroup waits for a task that depends on one that waits for a lock. */
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
#pragma omp taskgroup
            {
#pragma omp task depend(out : value) shared(value)
                {
                    meet(2);
                    omp_set_lock(&owned); /* expect: deadlock */
                    value = 1;
                    omp_unset_lock(&owned);
                }
#pragma omp task depend(in : value) shared(value)
                work(value);
                meet(2);
                omp_get_wtime(); /* gcc: here */
            }                    /* expect: deadlock */
            omp_unset_lock(&owned);
        }
    }
    return 0;
}
