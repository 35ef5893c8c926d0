/* SPDX-License-Identifier: Apache-2.0 */
/* A detached task is executed, and nobody fulfills its event. */
#include "hangs.h"

static omp_event_handle_t kept;

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            omp_event_handle_t event;
#pragma omp task detach(event) /* expect: waiting */
            {
                kept = event; /* expect: waiting */
                work(1);
            }
#pragma omp taskwait
        }
    }
    return kept == 0;
}
