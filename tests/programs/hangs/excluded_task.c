/* SPDX-License-Identifier: Apache-2.0 */
/* One of two tasks that exclude each other never ends: the other can be executed by nobody. */
#include "hangs.h"

static int total;

static __attribute__((noinline)) void count_forever(void) {
    for (;;) {
        pause(); /* expect: waiting */
        total++;
    }
}

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task depend(mutexinoutset : total) /* says: Tasks: 1 blocked on dependences */
        count_forever();
    }
    return 0;
}
