/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a single construct. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
        static atomic_int arriving, entered;
        if (omp_get_thread_num() != 1) {
            while (!atomic_load(&entered))
                sched_yield();
            waits_record("single barrier", NULL, NULL, 0);
            atomic_fetch_add(&arriving, 1);
        }
#pragma omp single
        {
            atomic_store(&entered, 1);
            while (atomic_load(&arriving) < 2)
                sched_yield();
            waits_lead(2);
        }
    }
    return 0;
}
