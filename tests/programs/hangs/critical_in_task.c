/* SPDX-License-Identifier: Apache-2.0 */
/* A critical, in it a task that is executed at once, in that the critical again. */
#include "hangs.h"

static void update(void) {
#pragma omp critical(gate) /* expect: deadlock */
    work(1);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        {
#pragma omp critical(gate)
            {
#pragma omp task if (0)
                update();
            }
        }
    }
    return 0;
}
