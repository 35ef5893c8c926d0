/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads wait at barriers of their own, of which clang, optimising, makes one call. */
#include <omp.h>
#include <unistd.h>

volatile int arrived[2], count;

void stop_here(void) {
    while (!arrived[0] || !arrived[1])
        ;
    usleep(200000);
    __asm__ volatile("nop");
}

static void branches_end(void) {
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 0) {
        arrived[0] = 1;
#pragma omp barrier
    } else if (omp_get_thread_num() == 1) {
        arrived[1] = 1;
#pragma omp barrier
    } else
        stop_here();
}

static void more_follows(void) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            arrived[0] = 1;
#pragma omp barrier
        } else if (omp_get_thread_num() == 1) {
            arrived[1] = 1;
#pragma omp barrier
        } else
            stop_here();
        count--;
        usleep((unsigned)count);
    }
}

int main(int argc, char **argv) {
    if (argc > 1)
        more_follows();
    else
        branches_end();
    return argv == 0;
}
