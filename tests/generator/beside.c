/* SPDX-License-Identifier: Apache-2.0 */
/* Regions in another runtime, or in another copy of one, beside those of a generated program. */
#include <omp.h>
#include <unistd.h>

static volatile long sums[8];
volatile int beside_begun;

void *beside(void *nothing) {
    for (long round = 0;; round++) {
#pragma omp parallel num_threads(2)
        {
            for (int i = 0; i < 2000; i++) sums[omp_get_thread_num()] += i;
#pragma omp barrier
#pragma omp critical(gate)
            sums[2] += round;
        }
        beside_begun = 1;
        usleep(200);
    }
    return nothing;
}
