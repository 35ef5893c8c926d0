/* SPDX-License-Identifier: Apache-2.0 */
/* clang calls the body of a region that it serializes itself, and optimised has it end with a jump:
   to what begins the region inside, and that one's body to the function that is called in it. */
#include <omp.h>

static volatile int reached;

static __attribute__((noinline)) void body(void) {
    reached++;
}

static __attribute__((noinline)) void around(int size) {
#pragma omp parallel if (size > 2)
#pragma omp parallel num_threads(size)
    body();
    reached++;
}

static __attribute__((noinline)) void within(int size) {
#pragma omp parallel if (size > 2)
#pragma omp parallel if (size > 2)
    body();
    reached++;
}

int main(int argc, char **argv) {
    omp_set_max_active_levels(2);
    around(argc + 1);
    within(argc + 1);
    return argv == 0;
}
