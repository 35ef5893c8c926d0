/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that the program leaves to the host, in a task and by a number that is no device's. */
#include "targets.h"

int main(int count, char **arguments) {
    int values[2] = {0};
    (void)arguments;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task shared(values)
    {
#pragma omp target if (count > 5) map(tofrom : values[0 : 1])
        {
            values[0] = 1;
            HERE(__LINE__ - 3);
        }
    }
    int initial = omp_get_initial_device();
#pragma omp target device(initial) map(tofrom : values[1 : 1])
    {
        HERE(__LINE__ - 2);
        values[1] = 1;
    }
    return values[0] + values[1] - 2;
}
