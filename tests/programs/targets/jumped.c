/* SPDX-License-Identifier: Apache-2.0 */
/* A construct whose body ends with the jump that begins a region, where a compiler optimises. */
#include "targets.h"

int main(void) {
#pragma omp target parallel num_threads(3)
    HERE(__LINE__ - 1);
    return 0;
}
