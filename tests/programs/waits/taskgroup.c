/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a taskgroup. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp taskgroup
            {
#pragma omp task
                {
                    READY();
                    waits_lead(1);
                }
                AWAIT_READY();
                waits_record("taskgroup", NULL, NULL, 0);
            }
        } else {
            AWAIT_TASKS();
        }
    }
    return 0;
}
