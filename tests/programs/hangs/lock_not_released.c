/* SPDX-License-Identifier: Apache-2.0 */
/* A function returns early and keeps the lock. */
#include "hangs.h"

static omp_lock_t kept;

static int update(int number) {
    omp_set_lock(&kept); /* expect: deadlock|waiting */
    if (number >= 0)
        return number;
    omp_unset_lock(&kept);
    return 0;
}

int main(void) {
    omp_init_lock(&kept);
    ready();
#pragma omp parallel num_threads(4)
    work(update(omp_get_thread_num()));
    return 0;
}
