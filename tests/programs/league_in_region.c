/* SPDX-License-Identifier: Apache-2.0 */
/* Leagues of teams inside of a region: a target region that is executed by the host. */
#include <omp.h>

volatile int told;

__attribute__((noinline)) static void inside(int number, int size, int level, int outside) {
    told = number + size + level + outside;
}

__attribute__((noinline)) static void tell(void) {
    inside(omp_get_thread_num(), omp_get_num_threads(), omp_get_level(),
           omp_get_ancestor_thread_num(1));
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp target teams num_teams(2)
    {
        tell();
#pragma omp parallel num_threads(1)
        tell();
    }
    return 0;
}
