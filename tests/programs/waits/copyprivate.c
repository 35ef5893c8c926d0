/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait for what one of them copies to them. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
        int datum = 0;
        static atomic_int entered;
        if (omp_get_thread_num() != 1) {
            while (!atomic_load(&entered))
                sched_yield();
            waits_record("copyprivate", NULL, NULL, 0);
        }
#pragma omp single copyprivate(datum)
        {
            atomic_store(&entered, 1);
            waits_lead(2);
            datum = 1;
        }
        atomic_fetch_add(&waits_ready, datum);
    }
    return 0;
}
