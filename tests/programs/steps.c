/* SPDX-License-Identifier: Apache-2.0 */
/* A few lines to step through, with the program's first region among them. */
#include <omp.h>
#include <stdio.h>

static int squares;

static int square(int n) {
    return n * n;
}

static void add(int n) {
    const int value = square(n);
#pragma omp atomic
    squares += value;
}

int main(void) {
    int before = square(2);
#pragma omp parallel num_threads(2)
    add(omp_get_thread_num());
    squares += before;
    printf("%d\n", squares);
    return 0;
}
