/* SPDX-License-Identifier: Apache-2.0 */
/* A thread looks again and again at a flag in a critical, which nobody else enters. */
#include "../hangs.h"

static int done; /* says: spins on "done" */

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
        int seen = omp_get_thread_num() != 0;
        while (!seen) { /* expect: waiting */
#pragma omp critical(look) /* expect: waiting */
            seen = done; /* expect: waiting */
        }
#pragma omp barrier
        done = 1;
    }
    return 0;
}
