/* SPDX-License-Identifier: Apache-2.0 */
/* A critical and a lock, taken in both orders. */
#include "hangs.h"

static omp_lock_t owned;

int main(void) {
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&owned);
            meet(2);
#pragma omp critical(gate) /* expect: deadlock */ /* says: gate */
            work(1);
            omp_unset_lock(&owned);
        } else if (omp_get_thread_num() == 1) {
#pragma omp critical(gate)
            {
                meet(2);
                omp_set_lock(&owned); /* expect: deadlock */ /* says: owned */
                omp_unset_lock(&owned);
            }
        }
    }
    return 0;
}
