/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that wait for each other and for a task. */
#include "targets.h"

int main(void) {
    int value = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : value) shared(value)
        value = 1;
#pragma omp target depend(inout : value) map(tofrom : value)
        {
            value++;
            HERE(__LINE__ - 3);
        }
#pragma omp target nowait depend(inout : value) map(tofrom : value)
        {
            HERE(__LINE__ - 2);
            value++;
        }
#pragma omp taskwait
    }
    return value - 3;
}
