/* SPDX-License-Identifier: Apache-2.0 */
/* A parallel construct is all that a target construct has in it, in a line of its own. */
#include "targets.h"

int main(void) {
#pragma omp target
#pragma omp parallel num_threads(3)
    HERE(__LINE__ - 2);
    return 0;
}
