/* SPDX-License-Identifier: Apache-2.0 */
/* Iterations that wait for those before them. */
#include "../hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
        for (;;) {
#pragma omp for ordered(1) schedule(static, 1)
            for (int i = 0; i < 64; i++) {
#pragma omp ordered depend(sink : i - 1)
                work(200);
#pragma omp ordered depend(source)
            }
        }
    }
    return 0;
}
