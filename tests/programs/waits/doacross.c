/* SPDX-License-Identifier: Apache-2.0 */
/* A loop with a dependence on an earlier iteration. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 0; i < 3; i++) {
            if (i == 0)
                waits_lead(2);
            WAIT("doacross", NULL, NULL, 1);
#pragma omp ordered depend(sink : i - 1)
            atomic_fetch_add(&waits_ready, i);
#pragma omp ordered depend(source)
        }
    }
    return 0;
}
