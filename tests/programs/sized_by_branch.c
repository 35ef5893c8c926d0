/* SPDX-License-Identifier: Apache-2.0 */
/* A function that ends with a jump to what begins a region, or executes the region by itself. */
#include <omp.h>

static volatile int seen;
__attribute__((noinline)) void alone(void) { seen++; }

__attribute__((noinline)) static void either(int n) {
#pragma omp parallel if (n > 99) num_threads(4)
    {
        alone();
        seen++;
    }
}

int main(int argc, char **argv) {
    (void)argv;
    either(argc);
    seen++;
    return 0;
}
