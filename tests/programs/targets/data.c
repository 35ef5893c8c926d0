/* SPDX-License-Identifier: Apache-2.0 */
/* A data environment around several regions, with an update. */
#include "targets.h"

int main(void) {
    int values[8] = {0};
#pragma omp target data map(tofrom : values)
    {
#pragma omp target
        {
            values[0] = 1;
            HERE(__LINE__ - 3);
        }
#pragma omp target update from(values)
        values[1] = values[0];
#pragma omp target update to(values)
#pragma omp target
        {
            HERE(__LINE__ - 2);
            values[2] = values[1];
        }
    }
    return values[2] - 1;
}
