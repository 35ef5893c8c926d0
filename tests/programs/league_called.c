/* SPDX-License-Identifier: Apache-2.0 */
/* With optimisation, functions called through a pointer end with a jump to what begins a league.
   The body of the second one jumps on, too. */
#include <omp.h>

static volatile int visited;

__attribute__((noinline)) static void visit(void) { visited++; }

__attribute__((noinline)) static void league(void) {
#pragma omp teams num_teams(1)
    {
        visit();
        visited++;
    }
}

__attribute__((noinline)) static void jumps(void) {
#pragma omp teams num_teams(1)
#pragma omp parallel num_threads(1)
    {
        visit();
        visited++;
    }
}

int main(void) {
    void (*volatile const calls[])(void) = {league, jumps};
    calls[0]();
    calls[1]();
    return 0;
}
