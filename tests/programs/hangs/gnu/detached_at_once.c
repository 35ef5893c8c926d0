/* SPDX-License-Identifier: Apache-2.0 */
/* A detached task is executed at once, and nobody fulfils its event: a thread waits at a barrier.
 */
#include "../hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            __attribute__((unused)) omp_event_handle_t never; /* gcc: here */
#pragma omp task detach(never) if (0)                         /* expect: waiting */
            work(1);
        }
#pragma omp barrier
    }
    return 0;
}
