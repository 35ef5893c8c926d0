/* SPDX-License-Identifier: Apache-2.0 */
/* Optimised code jumps to a function, and that to what begins a region: of the thread that waits
   at the region's end nothing of the user's is left on the stack. */
#include <omp.h>
#include <unistd.h>

__attribute__((noinline)) static void tail_stop(void) { usleep(1); }

__attribute__((noinline)) static void nest(void) {
#pragma omp parallel num_threads(2) /* construct */
    if (omp_get_thread_num() == 1) {
        usleep(200000);
        tail_stop();
    }
}

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        nest();
    return 0;
}
