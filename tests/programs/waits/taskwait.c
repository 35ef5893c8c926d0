/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits for its task, which another thread executes. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp task
            {
                READY();
                waits_lead(1);
            }
            AWAIT_READY();
            WAIT("taskwait", NULL, NULL, 1);
#pragma omp taskwait
        } else {
            AWAIT_TASKS();
        }
    }
    return 0;
}
