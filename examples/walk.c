/* SPDX-License-Identifier: Apache-2.0 */
/* Steps: a region of two threads, and a task that is executed at once. */
#include <omp.h>
#include <stdio.h>

static int climb(int thread) {
    return 10 * (thread + 1);
}

static int walk(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        int height = climb(omp_get_thread_num());
        sum += height;
    }
#pragma omp task if (0) shared(sum)
    {
        int rest = 12;
        sum += rest;
    }
    return sum;
}

int main(void) {
    printf("sum of heights: %d\n", walk());
    return 0;
}
