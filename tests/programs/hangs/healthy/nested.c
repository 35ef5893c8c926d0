/* SPDX-License-Identifier: Apache-2.0 */
/* Nested regions in which a lock is taken. */
#include "../hangs.h"

static omp_lock_t owned;

int main(void) {
    omp_init_lock(&owned);
    omp_set_max_active_levels(2);
    ready();
#pragma omp parallel num_threads(2)
    {
        for (;;) {
#pragma omp parallel num_threads(2)
            {
                omp_set_lock(&owned);
                work(2);
                omp_unset_lock(&owned);
            }
        }
    }
    return 0;
}
