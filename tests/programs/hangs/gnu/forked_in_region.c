/* SPDX-License-Identifier: Apache-2.0 */
/* A worker forks, and its child waits for the rest of the team. */
#include "../hangs.h"

#include "../forked.h"

int main(void) {
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1 && forked()) {
        ready();
#pragma omp barrier /* expect: deadlock */
        _exit(0);
    }
    return 0;
}
