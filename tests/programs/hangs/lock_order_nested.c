/* SPDX-License-Identifier: Apache-2.0 */
/* Each inner worker wants the lock of the next outer thread: which one is worked out. */
#include "hangs.h"

static omp_lock_t door[3];

static void inner(int i) {
#pragma omp parallel num_threads(2) /* expect: deadlock */
    {
        if (omp_get_thread_num() == 1) {
            omp_set_lock(&door[(i + 1) % 3]);           /* expect: deadlock */
            /* says: "door[0]" */ /* says: "door[1]" */ /* says: "door[2]" */
            work(i);
            omp_unset_lock(&door[(i + 1) % 3]);
        }
    }
}

int main(void) {
    omp_set_max_active_levels(2);
    for (int i = 0; i < 3; i++)
        omp_init_lock(&door[i]);
    ready();
#pragma omp parallel num_threads(3)
    {
        const int i = omp_get_thread_num();
        omp_set_lock(&door[i]);
        meet(3);
        inner(i);
        omp_unset_lock(&door[i]);
    }
    return 0;
}
