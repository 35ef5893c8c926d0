/* SPDX-License-Identifier: Apache-2.0 */
/* A critical with a name. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() != 1) {
            AWAIT_READY();
            WAIT("critical", NULL, "gate", 2);
        }
#pragma omp critical(gate)
        if (omp_get_thread_num() == 1) {
            READY();
            waits_lead(2);
        }
    }
    return 0;
}
