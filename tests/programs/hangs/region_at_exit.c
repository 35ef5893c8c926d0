/* SPDX-License-Identifier: Apache-2.0 */
/* A function that is given to atexit begins a region. Optimized it does so with a jump, and leaves
 * no frame. */
#include "hangs.h"

static int input[2];

static void region(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            char one;
            work((int)read(input[0], &one, 1)); /* expect: waiting */
        }
    }
}

int main(void) {
    if (pipe(input) != 0)
        return 1;
    ready();
    atexit(region);
    exit(0);
}
