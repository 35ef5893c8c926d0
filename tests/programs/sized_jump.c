/* SPDX-License-Identifier: Apache-2.0 */
/* An optimising compiler has the outer region's body end with a jump to what begins the inner one,
   which is serialized: neither the body nor that function has a frame. */
#include <omp.h>

static volatile int reached;

__attribute__((noinline)) void alone(void) { __asm__ volatile("" : : : "memory"); }

static __attribute__((noinline)) void work(void) {
    if (reached++ == 0)
        alone();
    reached++;
}

static __attribute__((noinline)) void inner(void) {
#pragma omp parallel num_threads(3)
    work();
}

int main(void) {
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
    inner();
    return 0;
}
