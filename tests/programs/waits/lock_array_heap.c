/* SPDX-License-Identifier: Apache-2.0 */
/* One of several locks on the heap that a global pointer leads to. */
#include "waits.h"

static omp_lock_t *locks;

int main(void) {
    locks = malloc(5 * sizeof *locks);
    for (int i = 0; i < 5; i++)
        omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&locks[3]);
            READY();
            waits_lead(2);
        }
        AWAIT_READY();
        WAIT("lock", &locks[3], "locks[3]", 1);
        omp_set_lock(&locks[3]);
        omp_unset_lock(&locks[3]);
    }
    return 0;
}
