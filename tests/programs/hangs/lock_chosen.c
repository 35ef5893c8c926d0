/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads take two locks in one function, which chooses the lock each time. */
#include "hangs.h"

static omp_lock_t a, b;

static __attribute__((noinline)) void take_both(int number) {
    omp_set_lock(number > 0 ? &a : &b);
    meet(2);
    omp_set_lock(number > 0 ? &b : &a); /* expect: deadlock */
    omp_unset_lock(&b);
    omp_unset_lock(&a);
}

int main(void) {
    omp_init_lock(&a);
    omp_init_lock(&b);
    ready();
#pragma omp parallel num_threads(2)
    take_both(omp_get_thread_num());
    return 0;
}
