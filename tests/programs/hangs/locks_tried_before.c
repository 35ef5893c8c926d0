/* SPDX-License-Identifier: Apache-2.0 */
/* Each of two threads has tried to take a lock, did so, and waits for the other's. */
#include "hangs.h"

static omp_lock_t left;
static pthread_spinlock_t right;

int main(void) {
    omp_init_lock(&left);
    pthread_spin_init(&right, 0);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            while (!omp_test_lock(&left))
                sched_yield();
            meet(2);
            ready();
            pthread_spin_lock(&right); /* expect: deadlock */ /* says: "right" */
            pthread_spin_unlock(&right);
            omp_unset_lock(&left);
        } else if (pthread_spin_trylock(&right) == 0) {
            meet(2);
            omp_set_lock(&left); /* expect: deadlock */ /* says: "left" */
            omp_unset_lock(&left);
            pthread_spin_unlock(&right);
        }
    }
    return 0;
}
