/* SPDX-License-Identifier: Apache-2.0 */
/* Data that stay mapped between constructs of different functions. */
#include "targets.h"

static int values[16];

__attribute__((noinline)) static void enter(void) {
#pragma omp target enter data map(to : values)
}

__attribute__((noinline)) static void leave(void) {
#pragma omp target exit data map(from : values)
}

int main(void) {
    enter();
#pragma omp target
    {
        values[3] = 4;
        HERE(__LINE__ - 3);
    }
    leave();
    return values[3] - 4;
}
