/* SPDX-License-Identifier: Apache-2.0 */
/* Regions, one after the other. */
#include "../hangs.h"

int main(void) {
    ready();
    for (;;) {
#pragma omp parallel num_threads(4)
        {
            work(5);
#pragma omp barrier
        }
    }
    return 0;
}
