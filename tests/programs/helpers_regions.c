// SPDX-License-Identifier: Apache-2.0
// Target regions that need not be waited for are tasks that the runtime's hidden helper threads
// execute; one begins a region of the program's there.
#include <omp.h>

enum { LEVELS = 3 };

// What the primary thread of the inner region says: its number, and the numbers and team sizes
// at each level.
int inside[2 * LEVELS];

__attribute__((noinline)) void stop_here(void) { __asm__ volatile(""); }

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait
        {
#pragma omp parallel num_threads(2)
            if (omp_get_thread_num() == 0) {
                for (int level = 0; level < LEVELS; level++) {
                    inside[2 * level] = omp_get_ancestor_thread_num(level);
                    inside[2 * level + 1] = omp_get_team_size(level);
                }
                stop_here();
            }
        }
#pragma omp taskwait
    }
    return 0;
}
