/* SPDX-License-Identifier: Apache-2.0 */
/* The combiner of a loop's reduction in which tasks take part waits for input. */
#include "hangs.h"

static int ends[2];

static __attribute__((noinline)) int combined(int one, int other) {
    char byte;
    if (read(ends[0], &byte, 1) != 1) /* expect: waiting */ /* says: read */
        abort();
    return one + other;
}

#pragma omp declare reduction(slow : int : omp_out = combined(omp_out, omp_in))

int main(void) {
    int sum = 0;
    if (pipe(ends) != 0)
        abort();
    ready();
#pragma omp parallel num_threads(3)
#pragma omp for reduction(task, slow : sum) schedule(static, 1)
    for (int i = 0; i < 3; i++) /* says: has not arrived */
        sum += i;
    return sum;
}
