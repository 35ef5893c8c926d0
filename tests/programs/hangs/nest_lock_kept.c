/* SPDX-License-Identifier: Apache-2.0 */
/* Nest locks, set in both orders by a function that has returned: only records have the owners. */
#include "hangs.h"

static omp_nest_lock_t first, second;

/* Apart from its callers, or the compiler makes one call of both. */
static __attribute__((noinline)) void set(omp_nest_lock_t *lock) {
    omp_set_nest_lock(lock); /* expect: deadlock */ /* says: "first" */ /* says: "second" */
    work(1);
}

int main(void) {
    omp_init_nest_lock(&first);
    omp_init_nest_lock(&second);
    ready();
#pragma omp parallel num_threads(2)
#pragma omp task if (0)
    {
        const int number = omp_get_thread_num();
        set(number == 0 ? &first : &second);
        meet(2);
        set(number == 0 ? &second : &first);
    }
    return 0;
}
