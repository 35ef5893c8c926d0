/* SPDX-License-Identifier: Apache-2.0 */
/* The iteration whose turn it is reads what nobody writes. */
#include "hangs.h"

static int ends[2];

int main(void) {
    char byte = 0;
    if (pipe(ends) != 0)
        return 1;
    ready();
#pragma omp parallel num_threads(3)
    {
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 3; i++) {
#pragma omp ordered
            if (i == 0) {
                if (read(ends[0], &byte, 1) < 0) /* expect: waiting */
                    work(1);
            } else
                work(i);
        }
    }
    return 0;
}
