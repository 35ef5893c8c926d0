/* SPDX-License-Identifier: Apache-2.0 */
/* A lock is destroyed while others wait for it: GCC's runtime keeps it as it was. */
#include "hangs.h"

static omp_lock_t lock;

int main(void) {
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&lock);
            meet(3);
            usleep(200000);
            omp_destroy_lock(&lock);
            ready();
        } else {
            meet(3);
            omp_set_lock(&lock); /* expect: deadlock */
            omp_unset_lock(&lock);
        }
    }
    return 0;
}
