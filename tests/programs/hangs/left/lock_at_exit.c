/* SPDX-License-Identifier: Apache-2.0 */
/* What runs at exit sets a lock that is set; optimized it jumps there, and has no frame. */
#include "../hangs.h"

static omp_lock_t kept;

static void leave(void) { omp_set_lock(&kept); } /* expect: deadlock */

int main(void) {
    omp_init_lock(&kept);
    atexit(leave);
#pragma omp parallel num_threads(2)
    omp_get_thread_num();
    omp_set_lock(&kept);
    ready();
    return 0;
}
