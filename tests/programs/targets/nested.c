/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel regions in a target region. */
#include "targets.h"

int main(void) {
    int threads = 0;
#pragma omp target map(tofrom : threads)
    {
        HERE(__LINE__ - 2);
#pragma omp parallel num_threads(3)
        {
            HERE(__LINE__ - 5);
#pragma omp barrier
#pragma omp atomic
            threads++;
        }
        HERE(__LINE__ - 10);
    }
    return threads - 3;
}
