/* SPDX-License-Identifier: Apache-2.0 */
/* The same, where the only thread of the team waits for the others in its own way. */
#include "../hangs.h"

#include "../forked.h"

static void region(int spins) {
#pragma omp parallel num_threads(3) /* expect: deadlock */
    if (spins)
        meet(3);
}

int main(void) {
    region(0);
    if (forked()) {
        ready();
        region(1);
    }
    return 0;
}
