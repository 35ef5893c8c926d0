/* SPDX-License-Identifier: Apache-2.0 */
/* A league and regions that are begun in a target construct, one of them inside of a region. */
#include "targets.h"

int main(void) {
    int value = 0;
#pragma omp target
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(2)
    HERE(__LINE__ - 3);
#pragma omp parallel num_threads(2)
    {
#pragma omp target map(tofrom : value)
        {
#pragma omp parallel num_threads(2)
            HERE(__LINE__ - 3);
#pragma omp atomic
            value++;
        }
    }
    return value - 2;
}
