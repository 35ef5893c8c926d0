/* SPDX-License-Identifier: Apache-2.0 */
/* A loop's block declares a variable of the name of a captured one, and optimisers leave it in the
 * body's own block. */
#include <omp.h>

volatile int limit = 6;

__attribute__((noinline)) void stop(const void *place)
{
    __asm__ volatile("" : : "r"(place) : "memory");
}

static void meet(int count)
{
    unsigned every = (unsigned)count * 3;
    __asm__ volatile("" : : "r"(&every) : "memory");
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < limit; i++) {
            double every[3] = {1.5, (double)i, 2.25};
            stop(&every);
        }
#pragma omp critical
        {
            stop(&every);
            stop(0);
        }
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    meet(argc);
    return 0;
}
