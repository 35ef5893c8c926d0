/* SPDX-License-Identifier: Apache-2.0 */
/* GCC, optimising, has a region's body end with a jump to what begins the inner region, which is
   serialized: LLVM's runtime has the same frame for both. */
#include <omp.h>

static volatile int reached;

static __attribute__((noinline)) void body(void) {
    reached++;
}

static __attribute__((noinline)) void outer(void) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    {
        body();
        reached++;
    }
    reached++;
}

int main(void) {
    omp_set_max_active_levels(1);
    outer();
    return 0;
}
