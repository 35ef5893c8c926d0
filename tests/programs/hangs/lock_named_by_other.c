/* SPDX-License-Identifier: Apache-2.0 */
/* A lock on the stack of main has its name from a thread that still has the frame of the region. */
#include "hangs.h"

static atomic_int entered;

int main(void) {
    omp_lock_t gate;
    omp_init_lock(&gate);
    omp_set_lock(&gate);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1) {
            omp_set_lock(&gate); /* expect: deadlock */
            atomic_fetch_add(&entered, 1);
            omp_unset_lock(&gate);
        } else if (omp_get_thread_num() == 2) {
            omp_set_lock(&gate); /* says: GDB thread 3 waits for lock "gate" */
        }
    }
    return 0;
}
