/* SPDX-License-Identifier: Apache-2.0 */
/* Nested regions whose threads take the locks of the region around in one order. */
#include "../hangs.h"

enum { LOCKS = 3 };
static omp_lock_t locks[LOCKS];

int main(void) {
    for (int i = 0; i < LOCKS; i++)
        omp_init_lock(&locks[i]);
    omp_set_max_active_levels(2);
    ready();
#pragma omp parallel num_threads(2)
    {
        for (int turn = 0;; turn++) {
            const int first = turn % (LOCKS - 1);
            omp_set_lock(&locks[first]);
#pragma omp parallel num_threads(2)
            {
                omp_set_lock(&locks[first + 1]);
                work(50);
                omp_unset_lock(&locks[first + 1]);
            }
            omp_unset_lock(&locks[first]);
        }
    }
    return 0;
}
