/* SPDX-License-Identifier: Apache-2.0 */
/* Criticals inside of each other, always in one order. */
#include "../hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
        for (;;) {
#pragma omp critical(outer)
            {
                work(5);
#pragma omp critical(inner)
                work(5);
            }
#pragma omp critical(inner)
            work(5);
        }
    }
    return 0;
}
