/* SPDX-License-Identifier: Apache-2.0 */
/* A critical is entered again by the thread that is in it. */
#include "hangs.h"

static __attribute__((noinline)) void count(int depth) {
#pragma omp critical(ledger) /* expect: deadlock */ /* says: ledger */
    {
        work(depth);
        if (depth > 0)
            count(depth - 1);
    }
}

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    count(1);
    return 0;
}
