/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that depend on each other, through a lock too. */
#include "../hangs.h"

static omp_lock_t owned;

int main(void) {
    int value = 0;
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        for (;;) {
#pragma omp task depend(inout : value) shared(value)
            {
                omp_set_lock(&owned);
                value++;
                omp_unset_lock(&owned);
            }
#pragma omp task depend(in : value) shared(value) if (0)
            work(value & 1);
        }
    }
    return 0;
}
