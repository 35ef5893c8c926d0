/* SPDX-License-Identifier: Apache-2.0 */
/* Workers of a region that is over. */
#include "waits.h"

int main(void) {
#pragma omp parallel num_threads(4)
    atomic_fetch_add(&waits_ready, 1);
    waits_lead(0);
    return 0;
}
