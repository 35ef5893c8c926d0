/* SPDX-License-Identifier: Apache-2.0 */
/* One thread at a time computes for long under a lock that the others wait for. */
#include "../hangs.h"

static omp_lock_t owned;

int main(void) {
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(4)
    {
        for (;;) {
            omp_set_lock(&owned);
            work(20000000);
            omp_unset_lock(&owned);
        }
    }
    return 0;
}
