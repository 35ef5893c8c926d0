/* SPDX-License-Identifier: Apache-2.0 */
/* The primary thread waits at the end of a taskgroup for the task that a worker executes. */
#include <omp.h>
#include <unistd.h>

volatile int begun, done;

/* The primary thread has come to the end of the group. */
static __attribute__((noinline)) void last(void) {
    done = 1;
}

static __attribute__((noinline)) void task(void) {
    begun = 1;
    usleep(200000);
    last();
}

int main(void) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp taskgroup
        {
#pragma omp task
            task();
            while (!begun) {
                usleep(100);
            }
        }
    }
    return 0;
}
