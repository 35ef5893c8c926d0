/* SPDX-License-Identifier: Apache-2.0 */
/* The team waits at a barrier for a detached task's event. */
#include "hangs.h"

static omp_event_handle_t kept;

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
#pragma omp single nowait
        {
            omp_event_handle_t event;
#pragma omp task detach(event) /* expect: waiting */
            {
                kept = event; /* expect: waiting */
                work(1);
            }
        }
#pragma omp barrier
    }
    return kept == 0;
}
