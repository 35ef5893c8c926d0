/* SPDX-License-Identifier: Apache-2.0 */
/* With -g1 functions are described that are inlined, and those that they are inlined into: the
 * second is neither. */
#include <stdlib.h>

static volatile int sink;

static inline __attribute__((always_inline)) void first(void) {
    sink += 1;
    sink += 2;
}

__attribute__((noinline)) static void second(int amount) {
#pragma omp parallel num_threads(2) firstprivate(amount)
#pragma omp single
    {
#pragma omp task firstprivate(amount)
        {
            int more = amount, most = 3;
            sink += more + most;
            abort();
        }
    }
}

int main(void) {
    first();
    second(3);
    return 0;
}
