/* SPDX-License-Identifier: Apache-2.0 */
/* The one thread of a single comes to a barrier that the others, who do not wait for the
   single, go past. */
#include "hangs.h"

static __attribute__((noinline)) void exchange(void) { /* gcc: here */
#pragma omp barrier                                    /* expect: deadlock */
}

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait
        exchange();
        work(1);
    }
    return 0;
}
