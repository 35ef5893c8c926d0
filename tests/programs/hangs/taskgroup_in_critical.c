/* SPDX-License-Identifier: Apache-2.0 */
/* A thread is in a critical and waits for a group of tasks that want to enter it. */
#include "hangs.h"

static void in_gate(void) {
#pragma omp critical(gate) /* expect: deadlock */ /* says: gate */
    work(1);
}

static void group(void) {
#pragma omp taskgroup
    {
#pragma omp task
        in_gate();
#pragma omp task
        in_gate();
    }
}

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        {
#pragma omp critical(gate)
            group();
        }
    }
    return 0;
}
