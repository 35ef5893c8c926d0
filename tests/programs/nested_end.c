/* SPDX-License-Identifier: Apache-2.0 */
/* An optimising compiler has the outer region's body end with a jump to what begins the inner one.
   GCC's runtime jumps on to what ends that: the primary threads, which wait there for a worker, have
   no frame of the program's, nor of GOMP_parallel. */
#include <omp.h>
#include <unistd.h>

static volatile int reached;

static __attribute__((noinline)) void late(void) {
    reached++;
}

static __attribute__((noinline)) void work(int number) {
    if (number == 1) {
        usleep(200000);
        late();
        reached++;
    }
}

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    work(omp_get_thread_num());
    return 0;
}
