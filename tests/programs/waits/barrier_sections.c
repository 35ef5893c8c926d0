/* SPDX-License-Identifier: Apache-2.0 */
/* The end of sections: one a thread. */
#include "waits.h"

static atomic_int begun;

static void begin(void) {
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&begun) < 3)
        sched_yield();
}

int main(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp sections
        {
#pragma omp section
            {
                begin();
                waits_record("sections barrier", NULL, NULL, 0);
            }
#pragma omp section
            {
                begin();
                waits_lead(2);
            }
#pragma omp section
            {
                begin();
                waits_record("sections barrier", NULL, NULL, 0);
            }
        }
        READY(); /* or GCC makes one barrier of this and the region's */
    }
    return 0;
}
