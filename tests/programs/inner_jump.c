/* SPDX-License-Identifier: Apache-2.0 */
/* An optimising compiler has the outer region's body end with a jump to what begins the inner one,
   which the runtime serializes, and the inner one's with a jump to usleep: neither has a frame. */
#include <omp.h>
#include <unistd.h>

static volatile int begun;

int main(void) {
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
        {
            begun = 1;
            usleep(1);
        }
    }
    return 0;
}
