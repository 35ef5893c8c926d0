/* SPDX-License-Identifier: Apache-2.0 */
/* Two locks, always in one order. */
#include "../hangs.h"

static omp_lock_t a, b;

int main(void) {
    omp_init_lock(&a);
    omp_init_lock(&b);
    ready();
#pragma omp parallel num_threads(4)
    {
        for (;;) {
            omp_set_lock(&a);
            omp_set_lock(&b);
            work(5);
            omp_unset_lock(&b);
            work(5);
            omp_unset_lock(&a);
        }
    }
    return 0;
}
