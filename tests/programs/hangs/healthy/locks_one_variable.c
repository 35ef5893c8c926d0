/* SPDX-License-Identifier: Apache-2.0 */
/* Two locks, called by one variable after the other. */
#include "../hangs.h"

static omp_lock_t pair[2];

int main(void) {
    omp_init_lock(&pair[0]);
    omp_init_lock(&pair[1]);
    ready();
#pragma omp parallel num_threads(4)
    {
        for (;;) {
            omp_lock_t *which = &pair[0];
            omp_set_lock(which);
            which++;
            omp_set_lock(which);
            work(5);
            omp_unset_lock(which);
            which--;
            omp_unset_lock(which);
            if (omp_get_thread_num() != 0) {
                omp_set_lock(&pair[1]);
                work(300);
                omp_unset_lock(&pair[1]);
            }
        }
    }
    return 0;
}
