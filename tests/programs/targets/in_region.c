/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread of a team has a region of its own, one of two. */
#include "targets.h"

int main(void) {
    int values[3] = {0};
#pragma omp parallel num_threads(3)
    {
        int own = omp_get_thread_num();
        if (own == 1) {
#pragma omp target map(tofrom : values[own : 1])
            {
                HERE(__LINE__ - 2);
                values[own] = 1;
            }
        } else {
#pragma omp target map(tofrom : values[own : 1])
            {
                values[own] = 1;
                HERE(__LINE__ - 3);
            }
        }
    }
    return values[0] + values[1] + values[2] - 3;
}
