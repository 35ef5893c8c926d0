/* SPDX-License-Identifier: Apache-2.0 */
/* A lock that a function returns with, and another lets go. */
#include "../hangs.h"

static omp_lock_t kept;

static __attribute__((noinline)) void enter(void) { omp_set_lock(&kept); }
static __attribute__((noinline)) void leave(void) { omp_unset_lock(&kept); }

int main(void) {
    omp_init_lock(&kept);
    ready();
#pragma omp parallel num_threads(4)
    {
        for (;;) {
            enter();
            work(2);
            leave();
        }
    }
    return 0;
}
