/* SPDX-License-Identifier: Apache-2.0 */
/* The primary thread writes and reads a pipe that is always ready, the others wait. */
#include "../hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        {
            int ends[2];
            char page[4096] = {0};
            if (pipe(ends) != 0)
                abort();
            while (write(ends[1], page, sizeof page) > 0 && read(ends[0], page, sizeof page) > 0)
                work(10);
        }
#pragma omp barrier
    }
    return 0;
}
