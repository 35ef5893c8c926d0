/* SPDX-License-Identifier: Apache-2.0 */
/* Says so when its three threads are in a region, and waits there until a debugger lets it go on. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

atomic_int go_on;
int own;
#pragma omp threadprivate(own)

__attribute__((noinline)) static void wait_here(void) {
    while (!atomic_load(&go_on)) usleep(1000);
}

int main(void) {
#pragma omp parallel num_threads(3)
    {
        own = 100 + omp_get_thread_num();
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            puts("in the region");
            fflush(stdout);
        }
        wait_here();
    }
    return 0;
}
