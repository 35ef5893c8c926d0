/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that GCC's code shares out by itself, and code beside them: each call says which iteration of
   such a loop its thread is in, counted from 0, or -1 outside of them. */
#include <omp.h>

enum { SIZE = 3 };

__attribute__((noinline)) void here(int iteration, int own)
{
    __asm__ volatile("" : : "r"(iteration), "r"(own) : "memory");
}

static void in_a_region(int n, int m, int own)
{
    for (int times = 0; times < m - 2; times++) {
#pragma omp for nowait schedule(static)
        for (int i = 0; i < n; i++)
            here(i, own);
        here(-1, own);
        for (int k = 0; k < m; k++)
            here(-1, own);
#pragma omp for schedule(static)
        for (long i = n; i > 0; i -= 2)
            for (int k = 0; k < 2; k++)
                here((int)(n - i) / 2, own);
#pragma omp for collapse(2) schedule(static)
        for (int i = 0; i < m; i++)
            for (int j = 3; j < n; j++)
                here(i * (n - 3) + j - 3, own);
        here(-1, own);
    }
    int each = n / omp_get_num_threads();
    for (int i = own * each; i < (own + 1) * each; i++)
        here(-1, own);
}

int main(int argc, char **argv)
{
    (void)argv;
#pragma omp parallel num_threads(SIZE)
    in_a_region(argc * 7, argc * 3, omp_get_thread_num());
    return 0;
}
