/* SPDX-License-Identifier: Apache-2.0 */
/* A worker ends itself, and the others wait for it at a barrier. */
#include "hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 2)
            pthread_exit(NULL);
#pragma omp barrier /* expect: deadlock */ /* says: of the team, which has ended */
    }
    return 0;
}
