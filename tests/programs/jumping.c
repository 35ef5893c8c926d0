/* SPDX-License-Identifier: Apache-2.0 */
/* GCC, optimising, has the task's body end with a jump to reached(), of which no frame of the
   body is left, and begin with code that is inlined, with another directive in it. */
#include <omp.h>
#include <unistd.h>

static int taken;

static void take(void) {
#pragma omp atomic
    taken++;
}

static int is_taken(void) {
    int now;
#pragma omp atomic read
    now = taken;
    return now;
}

static __attribute__((noinline)) void reached(int number) {
    usleep(number);
    taken += number;
}

int main(void) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp task
        {
            take();
            reached(1);
        }
        while (!is_taken()) /* so that the other thread executes it, at the region's end */
            usleep(1000);
    }
    return 0;
}
