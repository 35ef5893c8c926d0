/* SPDX-License-Identifier: Apache-2.0 */
/* Many small parallel regions: regions COUNT. Prints the seconds they took. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const int count = argc > 1 ? atoi(argv[1]) : 1000;
    int sum = 0;
#pragma omp parallel num_threads(2)
    {
    } /* the team exists before the clock starts */
    const double began = omp_get_wtime();
    for (int i = 0; i < count; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum += i & 1;
    }
    printf("SECONDS %.6f\n", omp_get_wtime() - began);
    return sum < 0;
}
