/* SPDX-License-Identifier: Apache-2.0 */
/* A worker never leaves its loop. */
#include "hangs.h"

static atomic_int done;

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 3) {
            while (!atomic_load_explicit(&done, memory_order_relaxed)) /* expect: waiting */
                ;                                                      /* expect: waiting */
        }
#pragma omp barrier
    }
    return 0;
}
