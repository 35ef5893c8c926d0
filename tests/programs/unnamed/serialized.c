/* SPDX-License-Identifier: Apache-2.0 */
/* A serialized region, whose body clang's code calls itself. */
#include <stdlib.h>

__attribute__((noinline)) static void work(int amount) {
    __asm__ volatile("" ::"r"(amount) : "memory");
    abort();
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) { /* the call that ends a serialized region is bound */
#pragma omp parallel num_threads(2) if (argc > 5)
        __asm__ volatile("" ::: "memory");
    }
#pragma omp parallel num_threads(1)
    {
#pragma omp parallel num_threads(2) if (argc > 5)
        {
#pragma omp task if (argc > 5)
            work(argc);
        }
    }
    return 0;
}
