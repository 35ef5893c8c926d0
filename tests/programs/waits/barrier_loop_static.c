/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a loop with a static schedule. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 3; i++) {
            if (i == 2)
                waits_lead(2);
            waits_record("loop barrier", NULL, NULL, 0);
        }
        READY(); /* or GCC makes one barrier of this and the region's */
    }
    return 0;
}
