/* SPDX-License-Identifier: Apache-2.0 */
/* A loop in which all threads come to the same lines. */
#include <stdio.h>
static double sum;
int main(void) {
#pragma omp parallel for num_threads(4) schedule(static)
    for (int i = 0; i < 4000; i++) {
        double x = i * 0.5; /* one */
        double y = x * x;   /* two */
        double z = y + x;   /* three */
#pragma omp atomic
        sum += z;
    }
    printf("%g\n", sum);
    return 0;
}
