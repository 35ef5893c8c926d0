/* SPDX-License-Identifier: Apache-2.0 */
/* A thread sleeps in a critical that the others want. */
#include "hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
#pragma omp critical(gate) /* says: gate */
        sleep(1000); /* expect: waiting */ /* says: sleep */
    }
    return 0;
}
