// SPDX-License-Identifier: Apache-2.0
// The second initial team of a league has come to the end of a reduction over the league, and the
// first has not.
#include <omp.h>
#include <unistd.h>

__attribute__((noinline)) void stop_here(void) { __asm__ volatile(""); }

int main(void) {
    int sum = 0;
#pragma omp teams num_teams(2) thread_limit(1) reduction(+ : sum)
    {
        sum += 1;
        if (omp_get_team_num() == 0) {
            usleep(300000);
            stop_here();
        }
    }
    return sum != 2;
}
