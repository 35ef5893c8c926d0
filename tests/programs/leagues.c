/* SPDX-License-Identifier: Apache-2.0 */
/* Leagues of several teams, with and without regions in them, which record their own truth. */
#include <omp.h>
#include <stdlib.h>

enum { TEAMS = 3, THREADS = 2 };

/* libomp's limit is the number of processors; it reads this when main begins. */
__attribute__((constructor)) static void allow_threads(void) {
    setenv("KMP_TEAMS_THREAD_LIMIT", "6", 1);
}

__attribute__((noinline)) void visit(int team_num, int num_teams, int level) {
    __asm__ volatile("" ::"r"(team_num), "r"(num_teams), "r"(level) : "memory");
}

static void here(void) { visit(omp_get_team_num(), omp_get_num_teams(), omp_get_level()); }

int main(void) {
    omp_set_max_active_levels(3);
    here();
#pragma omp parallel num_threads(THREADS)
    here();
#pragma omp teams num_teams(TEAMS) thread_limit(4)
    {
        here();
#pragma omp parallel num_threads(THREADS)
        {
            here();
#pragma omp parallel num_threads(THREADS)
            here();
        }
#pragma omp parallel num_threads(1)
        here();
    }
    here();
    return 0;
}
