/* SPDX-License-Identifier: Apache-2.0 */
/* A thread executes a task at the barrier where the other has the lock that the task wants. */
#include "hangs.h"

static omp_lock_t owned;

int main(void) {
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        {
#pragma omp task
            {
                meet(2);
                omp_set_lock(&owned); /* expect: deadlock|waiting */
                work(1);
                omp_unset_lock(&owned);
            }
            omp_set_lock(&owned);
            meet(2);
        }
#pragma omp barrier /* expect: deadlock|waiting */
        work(1);
#pragma omp master
        omp_unset_lock(&owned);
    }
    return 0;
}
