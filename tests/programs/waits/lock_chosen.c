/* SPDX-License-Identifier: Apache-2.0 */
/* A lock that is chosen just before the call. */
#include "waits.h"

static omp_lock_t left, right;

int main(void) {
    omp_init_lock(&left);
    omp_init_lock(&right);
#pragma omp parallel num_threads(3)
    {
        const int number = omp_get_thread_num();
        if (number == 0) {
            omp_set_lock(&left);
            omp_set_lock(&right);
            READY();
            waits_lead(2);
        }
        AWAIT_READY();
        WAIT("lock", number == 1 ? &left : &right, number == 1 ? "left" : "right", 1);
        omp_set_lock(number == 1 ? &left : &right);
    }
    return 0;
}
