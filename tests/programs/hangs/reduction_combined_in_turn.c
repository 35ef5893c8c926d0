/* SPDX-License-Identifier: Apache-2.0 */
/* The combiner of a reduction enters a critical, in which a thread waits for those that reduce. */
#include "hangs.h"

static int combined(int one, int other) {
    int sum;               /* gcc: here */
#pragma omp critical(gate) /* expect: deadlock */
    sum = one + other;
    return sum;
}

#pragma omp declare reduction(in_turn : int : omp_out = combined(omp_out, omp_in))

static void step(void) { /* gcc: here */
    meet(4);
#pragma omp barrier /* expect: deadlock */
}

int main(void) {
    int sum = 0;
    ready();
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(gate)
            step();
        }
        meet(4);
#pragma omp for reduction(in_turn : sum) /* expect: deadlock */ /* says: for GDB thread */
        for (int i = 0; i < 4; i++)
            sum += i; /* gcc: here */
    }
    return sum;
}
