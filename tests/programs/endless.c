/* SPDX-License-Identifier: Apache-2.0 */
/* A function that goes on for ever, whose last code is the construct's own; GCC, optimising,
   keeps the body's address in a register from one round to the next. */
#include <stdlib.h>

static volatile long rounds;

static __attribute__((noinline)) void work(long *sum) {
#pragma omp atomic
    *sum += 1;
    rounds++;
}

static void add(long *sum) {
    long more;
#pragma omp parallel num_threads(2) private(more)
    {
        more = *sum;
        work(sum);
        if (more > 1000)
            exit(0);
    }
}

int main(void) {
    long sum = 0;
    for (;;) {
        add(&sum);
        rounds++;
    }
}
