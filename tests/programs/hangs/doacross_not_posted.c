/* SPDX-License-Identifier: Apache-2.0 */
/* Iterations of a nest leave without telling those that wait for them. */
#include "hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered(2) schedule(static, 1)
        for (int i = 5; i < 7; i++)
            for (long j = 9; j > 0; j -= 2) {
#pragma omp ordered depend(sink : i - 1, j) /* expect: deadlock|waiting */
                if (i == 5 && j <= 5)
                    continue;
                work(i);
#pragma omp ordered depend(source)
            }
    }
    return 0;
}
