/* SPDX-License-Identifier: Apache-2.0 */
/* A critical and a lock around a call with more arguments than there are registers for them. */
#include "hangs.h"

static omp_lock_t gate;

static __attribute__((noinline)) long receive(long *to, int a, int b, int c, int d, int e, int f,
                                              int g, int h, const long *from) {
    meet(2);
    pause(); /* expect: waiting */
    return *to = a + b + c + d + e + f + g + h + *from;
}

static __attribute__((noinline)) void locked(omp_lock_t *lock, long own) {
    for (long i = 0; i < 2; i++) {
        omp_set_lock(lock); /* says: lock "gate": GDB thread 4 waiting, */
        /* says: held by GDB thread 3 (inferred from the code) */
        receive(&own, 1, 2, 3, 4, 5, 6, 7, 8, &i);
        omp_unset_lock(lock);
    }
}

int main(void) {
    long one = 0, other = 1;
    omp_init_lock(&gate);
    ready();
#pragma omp parallel num_threads(4) firstprivate(one, other)
    {
        const int own = omp_get_thread_num();
        while (own % 2 == 1 && atomic_load(&hangs_count) < 2)
            sched_yield();
        if (own < 2) {
#pragma omp critical(mpi) /* says: critical "mpi": GDB thread 2 waiting, held by GDB thread 1 */
            receive(&one, 1, 2, 3, 4, 5, 6, 7, 8, &other);
        } else {
            locked(&gate, other);
        }
    }
    return 0;
}
