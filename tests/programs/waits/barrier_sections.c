/* SPDX-License-Identifier: Apache-2.0 */
/* The end of sections. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp sections
        {
#pragma omp section
            {
                AWAIT_READY();
                waits_record("sections barrier", NULL, NULL, 0);
            }
#pragma omp section
            {
                READY();
                waits_lead(3 - 1);
            }
#pragma omp section
            {
                AWAIT_READY();
                waits_record("sections barrier", NULL, NULL, 0);
            }
        }
        READY(); /* or GCC makes one barrier of this and the region's */
    }
    return 0;
}
