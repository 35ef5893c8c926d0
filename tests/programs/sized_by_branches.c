/* SPDX-License-Identifier: Apache-2.0 */
/* Teams of 4, 3, 4 and 2 behind conditions, the last one's code executing a region by itself. */
#include <omp.h>

static volatile int seen;
__attribute__((noinline)) void alone(void) { seen++; }

static void first(void) {
    if (omp_get_thread_num() == 0)
        alone();
    seen++;
}

int main(int argc, char **argv) {
    (void)argv;
#pragma omp parallel if (argc < 3)
    first();
#pragma omp parallel if (argc < 3) num_threads(3)
    first();
#pragma omp parallel
    first();
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        {
#pragma omp parallel if (argc > 9)
            first();
        }
        seen++;
    }
    return seen < 0;
}
