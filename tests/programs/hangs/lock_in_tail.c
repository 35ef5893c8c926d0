/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads wait for each other's lock, one in a call that optimised code makes with a jump. */
#include "hangs.h"

static omp_lock_t a, b;

static __attribute__((noinline)) void forward(void) {
    omp_set_lock(&a);
    meet(2);
    omp_set_lock(&b); /* expect: deadlock */
}

static __attribute__((noinline)) void backward(void) {
    omp_set_lock(&b);
    meet(2);
    omp_set_lock(&a); /* expect: deadlock */
    omp_unset_lock(&a);
    omp_unset_lock(&b);
}

int main(void) {
    omp_init_lock(&a);
    omp_init_lock(&b);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            forward();
        else
            backward();
    }
    return 0;
}
