/* SPDX-License-Identifier: Apache-2.0 */
/* One thread lets a lock go in one branch only, and waits for the others, who wait for the lock. */
#include "hangs.h"

int main(int argc, char **argv) {
    omp_lock_t gate;
    (void)argv;
    omp_init_lock(&gate);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() != 1)
            meet(3);
        omp_set_lock(&gate); /* expect: deadlock */
        if (omp_get_thread_num() == 1)
            meet(3);
        if (omp_get_thread_num() != 1 || argc > 1)
            omp_unset_lock(&gate);
#pragma omp barrier
        work(1);
    }
    return 0;
}
