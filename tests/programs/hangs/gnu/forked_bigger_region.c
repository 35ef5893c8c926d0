/* SPDX-License-Identifier: Apache-2.0 */
/* A child begins a bigger team than its parent had: the threads that it makes for that get the
 * stacks of those that fork() has not copied. */
#include "../hangs.h"

#include "../forked.h"

static void region(int threads) { /* says: threads 1-3: no such thread in this process */
#pragma omp parallel num_threads(threads) /* expect: deadlock */
    work(1); /* gcc: here */
}

int main(void) {
    region(4);
    if (forked()) {
        ready();
        region(8);
    }
    return 0;
}
