/* SPDX-License-Identifier: Apache-2.0 */
/* A taskwait for one dependence. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            int datum = 0;
#pragma omp task depend(out : datum) shared(datum)
            {
                datum = 1;
                READY();
                waits_lead(1);
            }
            AWAIT_READY();
            WAIT("task dependence", NULL, NULL, 1);
#pragma omp taskwait depend(in : datum)
            atomic_fetch_add(&waits_ready, datum);
        } else {
            AWAIT_TASKS();
        }
    }
    return 0;
}
