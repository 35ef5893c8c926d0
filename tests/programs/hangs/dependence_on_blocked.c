/* SPDX-License-Identifier: Apache-2.0 */
/* With a lock set, a task waits for one whose predecessor wants that lock. */
#include "hangs.h"

static omp_lock_t gate;

int main(void) {
    int x = 0, y = 0;
    omp_init_lock(&gate);
#pragma omp parallel num_threads(3)
#pragma omp master
    {
        omp_set_lock(&gate);
#pragma omp task depend(out : x) shared(x)
        {
            meet(2);
            omp_set_lock(&gate); /* expect: deadlock|waiting */ /* says: gate */
            x = 1;
            omp_unset_lock(&gate);
        }
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
        y = x;
        meet(2); /* another thread has taken the first one */
        ready();
#pragma omp task depend(in : y) if (0) shared(y) /* expect: deadlock|waiting */
        y++;
        omp_unset_lock(&gate);
    }
    return y;
}
