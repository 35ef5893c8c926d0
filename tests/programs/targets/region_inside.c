/* SPDX-License-Identifier: Apache-2.0 */
/* A parallel construct is all that a target construct has in it, in a line of its own. Its primary
   thread waits at its end for the others. */
#include "targets.h"
#include <unistd.h>

int main(void) {
#pragma omp target
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() != 0) {
        usleep(100000);
        HERE(__LINE__ - 4);
    }
    return 0;
}
