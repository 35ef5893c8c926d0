/* SPDX-License-Identifier: Apache-2.0 */
/* A thread tries for ever, without a pause, to set a nest lock that another has at the barrier. */
#include "hangs.h"

static omp_nest_lock_t owned; /* says: nest lock "owned" */

int main(void) {
    omp_init_nest_lock(&owned);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            omp_set_nest_lock(&owned);
        meet(2);
        while (omp_get_thread_num() == 1 && !omp_test_nest_lock(&owned)) /* expect: deadlock */
            ;
#pragma omp barrier /* expect: deadlock */
        omp_unset_nest_lock(&owned);
    }
    return 0;
}
