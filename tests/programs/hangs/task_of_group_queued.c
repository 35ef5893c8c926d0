/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits at a taskgroup's end for a task that blocks once it has generated another one.
   GCC's runtime wakes nobody for that. */
#include "hangs.h"

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp master
#pragma omp taskgroup
    {
#pragma omp task
        {
            meet(2);
            usleep(300000); /* the first thread sleeps */
#pragma omp task
            work(1);
            ready();
            pause(); /* expect: waiting */
        }
        meet(2); /* the other thread has taken it */
    }
    return 0;
}
