/* SPDX-License-Identifier: Apache-2.0 */
/* Locks are made, set and destroyed all the time, and their records used again. */
#include "../hangs.h"

static omp_lock_t shared;

int main(void) {
    omp_init_lock(&shared);
    ready();
#pragma omp parallel num_threads(4)
    for (;;) {
        omp_lock_t own;
        omp_init_lock(&own);
        omp_set_lock(&own);
        omp_set_lock(&shared);
        work(100);
        omp_unset_lock(&shared);
        omp_unset_lock(&own);
        omp_destroy_lock(&own);
    }
}
