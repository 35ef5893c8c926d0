/* SPDX-License-Identifier: Apache-2.0 */
/* A worker executes a task that sleeps, at a taskwait before the barrier that the other is at. */
#include "hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp task
            {
                sleep(3600); /* expect: waiting */
                work(1);
            }
#pragma omp taskwait /* says: , has not arrived */
        } else {
            usleep(100000); /* until the task has begun */
        }
#pragma omp barrier
        work(1);
    }
    return 0;
}
