/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, one after the other. */
#include "../hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(6)
    {
        for (;;) {
            work(20);
#pragma omp barrier
        }
    }
    return 0;
}
