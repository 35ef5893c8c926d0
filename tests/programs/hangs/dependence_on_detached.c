/* SPDX-License-Identifier: Apache-2.0 */
/* A task depends on one that is detached and whose event nobody fulfills. */
#include "hangs.h"

static omp_event_handle_t kept;
static int value;

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) /* expect: waiting */
            {
                kept = event; /* expect: waiting */
                value = 1;
            }
#pragma omp task depend(in : value)
            work(value);
#pragma omp taskwait
        }
    }
    return kept == 0;
}
