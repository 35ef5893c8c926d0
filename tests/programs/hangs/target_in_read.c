/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads of a team, its primary one among them, execute target regions on the host, where
   they read what nobody writes. */
#include "hangs.h"

static int ends[2];

int main(void) {
    if (pipe(ends) != 0)
        return 1;
    ready();
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() < 2) {
#pragma omp target
            {
                char byte;
                ends[1] += (int)read(ends[0], &byte, 1); /* expect: waiting */
            }
        }
#pragma omp barrier
    }
    return 0;
}
