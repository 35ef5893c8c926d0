/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that are executed inside of each other; GCC -O2 moves what their body seldom executes
 * elsewhere, before all other code. */
#include <stdio.h>
#include <stdlib.h>

static volatile int most = 100;

static __attribute__((cold, noinline)) void fail(int n) {
    printf("%d\n", n);
    abort();
}

/* Of this function's code the body has what is moved. */
static inline __attribute__((always_inline)) void check(int n) {
#pragma omp flush
    if (n > most)
        fail(n);
}

__attribute__((noinline)) void innermost(int depth) { __asm__ volatile("" ::"r"(depth)); }

static __attribute__((noinline)) void deeper(int depth) {
#pragma omp task firstprivate(depth)
    {
        check(depth);
        if (depth < 3)
            deeper(depth + 1);
        else
            innermost(depth);
        most = 100 + depth;
    }
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel num_threads(1)
    {
        check(0);
        deeper(0);
        most = 99;
    }
    return 0;
}
