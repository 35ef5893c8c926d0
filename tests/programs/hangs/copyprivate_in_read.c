/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of a single whose value the others want reads what nobody writes. */
#include "hangs.h"

static int ends[2];

int main(void) {
    if (pipe(ends) != 0)
        return 1;
    ready();
#pragma omp parallel num_threads(3)
    {
        char byte = 0;
#pragma omp single copyprivate(byte)
        {
            if (read(ends[0], &byte, 1) < 0) /* expect: waiting */
                work(1);
        }
        work(byte);
    }
    return 0;
}
