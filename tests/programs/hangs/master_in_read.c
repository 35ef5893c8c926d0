/* SPDX-License-Identifier: Apache-2.0 */
/* The primary thread waits for input, the others for it. */
#include "hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        {
            int ends[2];
            char byte;
            if (pipe(ends) != 0 || read(ends[0], &byte, 1) != 1) /* expect: waiting */
                abort();
        }
#pragma omp barrier
    }
    return 0;
}
