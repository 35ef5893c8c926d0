/* SPDX-License-Identifier: Apache-2.0 */
/* An ordered part that takes a lock. */
#include "../hangs.h"

static omp_lock_t owned;

int main(void) {
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(4)
    {
        for (;;) {
#pragma omp for ordered schedule(static, 1)
            for (int i = 0; i < 64; i++) {
                work(3);
#pragma omp ordered
                {
                    omp_set_lock(&owned);
                    work(1);
                    omp_unset_lock(&owned);
                }
            }
        }
    }
    return 0;
}
