/* SPDX-License-Identifier: Apache-2.0 */
/* Two teams on the host, alone and with a region in each. */
#include "truth.h"

#include <omp.h>
#include <stdlib.h>

/* libomp's limit is the number of processors; it reads this when main begins. */
__attribute__((constructor)) static void allow_four_threads(void) {
    setenv("KMP_TEAMS_THREAD_LIMIT", "4", 1);
}

static void lead_or_hold(int others) {
    if (omp_get_team_num() == 0 && omp_get_thread_num() == 0)
        truth_lead(others);
    else
        truth_hold();
}

static void region_in_team(void) {
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(2)
    {
        truth_begin(region);
        lead_or_hold(3);
        truth_end(region);
    }
}

int main(void) {
    const int league = TRUTH_NEXT(TRUTH_TEAMS);
#pragma omp teams num_teams(2) thread_limit(2)
    {
        truth_begin(league);
        lead_or_hold(1);
        region_in_team();
        truth_end(league);
    }
    truth_lead(0);
    return 0;
}
