/* SPDX-License-Identifier: Apache-2.0 */
/* An iteration has a lock and waits for the one before it, which wants the lock. */
#include "hangs.h"

static omp_lock_t owned;

int main(void) {
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 0; i < 2; i++) {
            if (i == 1)
                omp_set_lock(&owned);
            meet(2);
            if (i == 0)
                omp_set_lock(&owned); /* expect: deadlock|waiting */ /* says: owned */
#pragma omp ordered depend(sink : i - 1) /* expect: deadlock|waiting */
            omp_unset_lock(&owned);
#pragma omp ordered depend(source)
        }
    }
    return 0;
}
