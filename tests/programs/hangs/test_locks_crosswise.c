/* SPDX-License-Identifier: Apache-2.0 */
/* Each of two threads has a lock and tries for ever, without a pause, to set the other's. */
#include "hangs.h"

static omp_lock_t left, right;

int main(void) {
    omp_init_lock(&left);
    omp_init_lock(&right);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&left);
            meet(2);
            while (!omp_test_lock(&right)) /* expect: deadlock */ /* says: lock "right" */
                ;
        } else {
            omp_set_lock(&right);
            meet(2);
            while (!omp_test_lock(&left)) /* expect: deadlock */ /* says: lock "left" */
                ;
        }
        omp_unset_lock(&left);
        omp_unset_lock(&right);
    }
    return 0;
}
