/* SPDX-License-Identifier: Apache-2.0 */
/* A lock in a structure in an array. */
#include "waits.h"

struct account {
    long balance;
    omp_lock_t lock;
};
static struct account accounts[3];

int main(void) {
    omp_init_lock(&accounts[1].lock);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&accounts[1].lock);
            READY();
            waits_lead(2);
        }
        AWAIT_READY();
        WAIT("lock", &accounts[1].lock, "accounts[1].lock", 1);
        omp_set_lock(&accounts[1].lock);
        omp_unset_lock(&accounts[1].lock);
    }
    return 0;
}
