/* SPDX-License-Identifier: Apache-2.0 */
/* A child of a process that has had a team begins a region: the team's threads are not there. */
#include "../hangs.h"

#include "../forked.h"

static void region(void) {
#pragma omp parallel num_threads(4) /* expect: deadlock */
    work(1); /* gcc: here */
}

int main(void) {
    region();
    if (forked()) {
        ready();
        region();
    }
    return 0;
}
