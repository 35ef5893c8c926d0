/* SPDX-License-Identifier: Apache-2.0 */
/* A function that ends with a jump to what begins a region, or executes the region by itself. Its
   body ends with a jump, too: no frame has the construct's line. */
#include <omp.h>

__attribute__((noinline)) void alone(void) { __asm__ volatile("" : : : "memory"); }

__attribute__((noinline)) void either(int n, int threads) {
#pragma omp parallel if (n > 99) num_threads(threads)
    if (omp_get_thread_num() == 0)
        alone();
}

int main(int argc, char **argv) {
    (void)argv;
    either(argc, argc + 3);
    either(argc + 99, argc);
    return argc - 1;
}
