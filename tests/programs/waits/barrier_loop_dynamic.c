/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a loop with a dynamic schedule: one iteration a thread. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 3; i++) {
            static atomic_int begun;
            atomic_fetch_add(&begun, 1);
            while (atomic_load(&begun) < 3)
                sched_yield();
            if (i == 2)
                waits_lead(2);
            waits_record("loop barrier", NULL, NULL, 0);
        }
        READY(); /* or GCC makes one barrier of this and the region's */
    }
    return 0;
}
