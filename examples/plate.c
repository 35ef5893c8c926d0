/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: a plate cools down on the device; the host looks at it now and then. */
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 64, STEPS = 3 };

static double edge[2] = {0.0, 100.0};

static double middle(const double *plate)
{
    return plate[SIZE / 2];
}

int main(void)
{
    double *plate = malloc(SIZE * sizeof *plate);
    double *next = malloc(SIZE * sizeof *next);
    double sum = 0;
    for (int i = 0; i < SIZE; i++) {
        plate[i] = 50.0;
    }

    #pragma omp target enter data map(to : edge)
    #pragma omp target data map(tofrom : plate[0:SIZE]) map(alloc : next[0:SIZE])
    for (int step = 0; step < STEPS; step++) {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < SIZE; i++) {
            double left = i > 0 ? plate[i - 1] : edge[0];
            double right = i < SIZE - 1 ? plate[i + 1] : edge[1];
            next[i] = (left + right) / 2;
        }
        #pragma omp target map(from : sum)
        {
            sum = 0;
            for (int i = 0; i < SIZE; i++) {
                plate[i] = next[i];
                sum += plate[i];
            }
        }
        #pragma omp target update from(plate[SIZE / 2 : 1])
        printf("step %d: %.1f in the middle\n", step, middle(plate));
    }
    #pragma omp target exit data map(release : edge)
    printf("sum: %d\n", (int)sum);
    free(plate);
    free(next);
    return 0;
}
