/* SPDX-License-Identifier: Apache-2.0 */
/* Two locks in both orders, the second only tried: who does not get it lets go. */
#include "../hangs.h"

static omp_lock_t a, b;

static __attribute__((noinline)) void both(omp_lock_t *first, omp_lock_t *second) {
    omp_set_lock(first);
    if (omp_test_lock(second)) {
        work(50);
        omp_unset_lock(second);
    }
    omp_unset_lock(first);
}

int main(void) {
    omp_init_lock(&a);
    omp_init_lock(&b);
    ready();
#pragma omp parallel num_threads(4)
    {
        const int even = omp_get_thread_num() % 2 == 0;
        for (;;)
            both(even ? &a : &b, even ? &b : &a);
    }
    return 0;
}
