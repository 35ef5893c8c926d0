/* SPDX-License-Identifier: Apache-2.0 */
/* Threads wait in loops that call the runtime: one tries to set a lock that another keeps, one
 * counts up to the team's size, and one looks at a flag in a critical. */
#include "hangs.h"

static omp_lock_t kept;      /* says: spinning on "kept" */
static volatile int arrived; /* says: spinning on "arrived" */
static int done;             /* says: spinning on "done" */

int main(void) {
    omp_init_lock(&kept);
    omp_set_lock(&kept);
    ready();
#pragma omp parallel num_threads(4)
    {
        const int member = omp_get_thread_num();
        int seen = member != 3;
        while (member == 1 && !omp_test_lock(&kept))
            usleep(1000);
        while (member == 2 && arrived < omp_get_num_threads())
            ;
        while (!seen) {
#pragma omp critical(look)
            seen = done;
            usleep(1000);
        }
#pragma omp barrier /* expect: deadlock */
        arrived = done = 1;
    }
    return 0;
}
