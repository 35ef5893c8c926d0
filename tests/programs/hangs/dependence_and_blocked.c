/* SPDX-License-Identifier: Apache-2.0 */
/* A wait for a task that wants a lock held across it, while another task waits for the same one. */
#include "hangs.h"

static omp_lock_t owned;

int main(void) {
    int value = 0;
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(3)
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
#pragma omp task depend(in : value) shared(value)
            work(value);
#pragma omp task depend(in : value) shared(value) if (0) /* expect: deadlock */
            work(value);
            omp_unset_lock(&owned);
        }
    }
    return 0;
}
