/* SPDX-License-Identifier: Apache-2.0 */
/* A taskloop's tasks wait for the critical that the thread which made them is in. */
#include "hangs.h"

static __attribute__((noinline)) void want(int i) {
#pragma omp critical(gate) /* expect: deadlock */
    work(i);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp critical(gate)
            {
#pragma omp taskloop num_tasks(2)
                for (int i = 0; i < 2; i++)
                    want(i);
            }
        }
    }
    return 0;
}
