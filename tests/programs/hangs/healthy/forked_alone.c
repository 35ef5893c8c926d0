/* SPDX-License-Identifier: Apache-2.0 */
/* A child that has no more threads than the one that forked, and asks for no more, goes on. */
#include "../hangs.h"

#include "../forked.h"

int main(void) {
#pragma omp parallel num_threads(3)
    work(1);
    if (forked()) {
        ready();
        for (;;) {
#pragma omp parallel num_threads(1)
            work(1000);
        }
    }
    return 0;
}
