/* SPDX-License-Identifier: Apache-2.0 */
/* A thread takes a simple lock that it holds. */
#include "hangs.h"

static omp_lock_t once;

static void again(void) {
    omp_set_lock(&once); /* expect: deadlock */
    omp_unset_lock(&once);
}

int main(void) {
    omp_init_lock(&once);
    ready();
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 1) {
            omp_set_lock(&once);
            again();
            omp_unset_lock(&once);
        }
    }
    return 0;
}
