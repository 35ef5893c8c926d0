// SPDX-License-Identifier: Apache-2.0
// A helper thread of LLVM's runtime executes a target region that need not be waited for.
#include <omp.h>

int thread_num, team_size, level;

__attribute__((noinline)) void stop_here(void) { __asm__ volatile(""); }

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait map(from : thread_num, team_size, level)
        {
            thread_num = omp_get_thread_num();
            team_size = omp_get_num_threads();
            level = omp_get_level();
            stop_here();
        }
#pragma omp taskwait
    }
    return 0;
}
