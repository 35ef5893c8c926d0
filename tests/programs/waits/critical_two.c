/* SPDX-License-Identifier: Apache-2.0 */
/* Two criticals, each with its holder and its waiter. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(4)
    {
        const int number = omp_get_thread_num();
        if (number == 2 || number == 3) {
            while (atomic_load(&waits_ready) < 2)
                sched_yield();
            waits_record("critical", NULL, number == 2 ? "left" : "right", 0);
        }
        if (number % 2 == 0) {
#pragma omp critical(left)
            {
                atomic_fetch_add(&waits_ready, 1);
                waits_lead(3);
            }
        } else {
#pragma omp critical(right)
            {
                atomic_fetch_add(&waits_ready, 1);
                waits_hold();
            }
        }
    }
    return 0;
}
