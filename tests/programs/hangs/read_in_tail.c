/* SPDX-License-Identifier: Apache-2.0 */
/* A body that ends with a blocking call: optimised, it jumps there and leaves no frame. */
#include "hangs.h"

static int ends[2];
static char byte;

int main(void) {
    if (pipe(ends) != 0)
        abort();
    ready();
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 2)
            (void)!read(ends[0], &byte, 1); /* expect: waiting */
    }
    return 0;
}
