/* SPDX-License-Identifier: Apache-2.0 */
/* An ordered region. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 3; i++) {
            if (i == 0)
                waits_lead(2);
            WAIT("ordered", NULL, NULL, 1);
#pragma omp ordered
            atomic_fetch_add(&waits_ready, i);
        }
    }
    return 0;
}
