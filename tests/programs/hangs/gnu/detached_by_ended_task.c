/* SPDX-License-Identifier: Apache-2.0 */
/* The team waits for the event of a detached task; the task that generated it has ended. */
#include "../hangs.h"

static omp_event_handle_t kept;

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        {
#pragma omp task
            {
                omp_event_handle_t event;
#pragma omp task detach(event) /* says: the event of a detached task */
                {
                    kept = event;
                    work(1);
                }
            }
        }
#pragma omp barrier /* expect: waiting */
    }
    return kept == 0;
}
