/* SPDX-License-Identifier: Apache-2.0 */
/* Waits in a region until a debugger lets it go on, then begins others. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

atomic_int go_on;
static atomic_int count;

__attribute__((noinline)) static void again(void) {
#pragma omp parallel num_threads(2)
    atomic_fetch_add(&count, 1);
}

int main(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            puts("in the region");
            fflush(stdout);
        }
        while (!atomic_load(&go_on)) usleep(1000);
    }
    for (int i = 0; i < 3; i++) again();
    return 0;
}
