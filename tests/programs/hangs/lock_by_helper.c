/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the program's own take locks and let them go: who has called them has the lock,
 * or has it no more. */
#include "hangs.h"

static omp_lock_t account, journal;

static __attribute__((noinline)) void take(omp_lock_t *lock) {
    omp_set_lock(lock); /* expect: deadlock */
}

static __attribute__((noinline)) void let_go(omp_lock_t *lock) {
    omp_unset_lock(lock);
}

static __attribute__((noinline)) void audit(void) {
    omp_set_lock(&account);
    let_go(&account);
    meet(3);
    take(&journal);
}

static __attribute__((noinline)) void book(void) {
    while (atomic_load(&hangs_count) < 1)
        sched_yield();
    take(&journal);
    meet(3);
    omp_set_lock(&account); /* expect: deadlock */
    let_go(&account);       /* says: lock "account": GDB thread 2 waiting, held by GDB thread 3 */
    let_go(&journal);
}

static __attribute__((noinline)) void close_account(void) {
    while (atomic_load(&hangs_count) < 2)
        sched_yield();
    take(&account);
    meet(3);
    ready();
    take(&journal);
    let_go(&journal);
    let_go(&account);
}

int main(void) {
    omp_init_lock(&account);
    omp_init_lock(&journal);
#pragma omp parallel num_threads(3)
    {
        const int member = omp_get_thread_num();
        if (member == 0)
            audit();
        else if (member == 1)
            book();
        else
            close_account();
    }
    return 0;
}
