/* SPDX-License-Identifier: Apache-2.0 */
/* The team's last task is executed, and was never detached: the barrier is let go once it is done.
 */
#include "../hangs.h"

int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task
        {
            ready();
            pause(); /* expect: waiting */
        }
    }
    return 0;
}
