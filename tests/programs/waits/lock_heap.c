/* SPDX-License-Identifier: Apache-2.0 */
/* A lock in a structure on the heap. */
#include "waits.h"

struct account {
    long balance;
    omp_lock_t lock;
};

int main(void) {
    struct account *account = malloc(sizeof *account);
    omp_init_lock(&account->lock);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&account->lock);
            READY();
            waits_lead(2);
        }
        AWAIT_READY();
        WAIT("lock", &account->lock, "account->lock", 1);
        omp_set_lock(&account->lock);
        omp_unset_lock(&account->lock);
    }
    return 0;
}
