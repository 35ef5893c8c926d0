/* SPDX-License-Identifier: Apache-2.0 */
/* Target constructs that are met once, by two threads, three times, by no device, and as a task. */
#include <omp.h>

static int repeated(int sum, int on_device) {
    for (int i = 0; i < 3; i++) {
#pragma omp target map(tofrom : sum)
        sum += i;
    }
#pragma omp target map(tofrom : sum) if (on_device)
    sum++;
    return sum;
}

int main(int argc, char **argv) {
    int sum = repeated(argc, argv == 0);
#pragma omp parallel num_threads(2)
    {
#pragma omp target
        (void)omp_get_num_devices();
#pragma omp single
        {
#pragma omp target nowait map(tofrom : sum)
            sum++;
#pragma omp taskwait
        }
    }
    return sum != 6;
}
