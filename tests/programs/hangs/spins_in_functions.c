/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits in a loop around a function of the program's, as MPI_Test is, which tells through a
 * pointer whether it has come. */
#include "hangs.h"

static int request; /* says: spinning on "request" */

static __attribute__((noinline)) int test(int *from, int *came) { /* expect: waiting */
    if (__atomic_load_n(from, __ATOMIC_RELAXED) == 1) /* expect: waiting */
        *came = 1;
    return 0; /* expect: waiting */
} /* expect: waiting */

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
        const int member = omp_get_thread_num();
        int came = member != 1;
        while (!came)              /* expect: waiting */
            test(&request, &came); /* expect: waiting */
#pragma omp barrier
        request = 1;
    }
    return 0;
}
