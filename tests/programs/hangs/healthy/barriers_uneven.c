/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers that one thread comes to late. */
#include "../hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
        for (;;) {
            work(omp_get_thread_num() == 0 ? 2000 : 1);
#pragma omp barrier
        }
    }
    return 0;
}
