/* SPDX-License-Identifier: Apache-2.0 */
/* A region whose size a call in the region before it has set, where LLVM's runtime has a record for
   a league's only team and its region. */
#include <omp.h>

__attribute__((noinline)) static void stop(void) { __asm__ volatile(""); }

int main(void) {
    omp_set_num_threads(1);
#pragma omp teams num_teams(1)
    {
#pragma omp parallel num_threads(1)
        omp_set_num_threads(2);
#pragma omp parallel
        if (omp_get_thread_num() == 0)
            stop();
    }
    return 0;
}
