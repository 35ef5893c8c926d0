/* SPDX-License-Identifier: Apache-2.0 */
/* Half of the team is at a single construct with copyprivate, which the others left out. */
#include "hangs.h"

int main(void) {
    int x = 0;
    ready();
#pragma omp parallel num_threads(4) firstprivate(x)
    {
        if (omp_get_thread_num() < 2) {
#pragma omp single copyprivate(x) /* gcc: here */
            x = 3;                /* expect: deadlock */
        }
        work(x);
    }
    return 0;
}
