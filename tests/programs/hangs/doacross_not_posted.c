/* SPDX-License-Identifier: Apache-2.0 */
/* An iteration leaves without telling those that wait for it. */
#include "hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 0; i < 2; i++) {
            if (i == 0)
                continue;
#pragma omp ordered depend(sink : i - 1) /* expect: waiting */
            work(i);
#pragma omp ordered depend(source)
        }
    }
    return 0;
}
