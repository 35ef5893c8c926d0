/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier inside of a critical, which only one thread can be in. */
#include "hangs.h"

static void step(void) { /* gcc: here */
#pragma omp barrier      /* expect: deadlock */
}

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
#pragma omp critical(gate) /* expect: deadlock */
        step();
    }
    return 0;
}
