/* SPDX-License-Identifier: Apache-2.0 */
/* With a lock set, a task waits for one whose predecessor wants that lock. */
#include "hangs.h"

static omp_lock_t gate;

int main(void) {
    int x = 0, y = 0;
    omp_init_lock(&gate);
    ready();
#pragma omp parallel num_threads(3)
#pragma omp master
    {
        omp_set_lock(&gate);
#pragma omp task depend(out : x) shared(x)
        {
            omp_set_lock(&gate); /* expect: deadlock|waiting */ /* says: gate */
            x = 1;
            omp_unset_lock(&gate);
        }
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
        y = x;
        usleep(300000);                          /* the other threads take the first one */
#pragma omp task depend(in : y) if (0) shared(y) /* expect: deadlock|waiting */
        y++;
        omp_unset_lock(&gate);
    }
    return y;
}
