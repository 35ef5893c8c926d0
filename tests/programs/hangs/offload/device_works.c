/* SPDX-License-Identifier: Apache-2.0 */
/* A target task that nobody waits for at once, until the device's work is done. */
#include <omp.h>

int main(void) {
    int values[4] = {0};
    int done = 0;
#pragma omp target enter data map(to : values) device(1)
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait device(1)
        values[0] = 1;
#pragma omp taskwait
        done = 1;
    }
    return !done;
}
