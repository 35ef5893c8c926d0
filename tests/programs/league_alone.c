/* SPDX-License-Identifier: Apache-2.0 */
/* The initial threads of a league come together, each in a team of its own, and each has recorded
   its number. */
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { TEAMS = 3 };

static atomic_int come;
static _Thread_local int team_num = -1;

__attribute__((constructor)) static void allow_threads(void) {
    setenv("KMP_TEAMS_THREAD_LIMIT", "6", 1);
}

__attribute__((noinline)) static void stop_here(void) { __asm__ volatile("" ::: "memory"); }

int main(void) {
#pragma omp teams num_teams(TEAMS) thread_limit(2)
    {
        team_num = omp_get_team_num();
        if (atomic_fetch_add(&come, 1) == TEAMS - 1) stop_here();
        for (;;) {}
    }
}
