/* SPDX-License-Identifier: Apache-2.0 */
/* One thread goes round the barrier that the others are at. */
#include "hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() != 2) {
#pragma omp barrier /* expect: deadlock */
        }
    }
    return 0;
}
