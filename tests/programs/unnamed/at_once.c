/* SPDX-License-Identifier: Apache-2.0 */
/* A task that is executed at once, which clang calls as the user's own code would. */
#include <stdlib.h>

__attribute__((noinline)) static void work(int amount) {
    __asm__ volatile("" ::"r"(amount) : "memory");
    abort();
}

int main(int argc, char **argv) {
    (void)argv;
#pragma omp parallel num_threads(1)
    {
#pragma omp task if (argc > 5)
        work(argc);
    }
    return 0;
}
