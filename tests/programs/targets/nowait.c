/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that nobody waits for at once. */
#include "targets.h"

int main(void) {
    int first = 0;
    int second = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait map(tofrom : first)
        {
            first = 1;
            HERE(__LINE__ - 3);
        }
#pragma omp target nowait map(tofrom : second)
        {
            HERE(__LINE__ - 2);
            second = 2;
        }
#pragma omp taskwait
    }
    return first + second - 3;
}
