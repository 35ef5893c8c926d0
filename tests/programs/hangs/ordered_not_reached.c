/* SPDX-License-Identifier: Apache-2.0 */
/* The first iteration never comes to its ordered part. */
#include "hangs.h"

static omp_lock_t owned;

static void in_turn(int i) { /* gcc: here */
#pragma omp ordered          /* expect: deadlock */
    work(i);
}

int main(void) {
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 2; i++) {
            if (i == 0) {
                meet(2);
                omp_set_lock(&owned); /* expect: deadlock */
                in_turn(i);
                omp_unset_lock(&owned);
            } else {
                omp_set_lock(&owned);
                meet(2);
                in_turn(i);
                omp_unset_lock(&owned);
            }
        }
    }
    return 0;
}
