/* SPDX-License-Identifier: Apache-2.0 */
/* An optimising compiler has the outer region's body end with a jump to what begins the inner one,
   and the inner one's with a jump to usleep: neither has a frame. */
#include <omp.h>
#include <unistd.h>

static __attribute__((noinline)) void meet(void) {
    static int met;
    __atomic_add_fetch(&met, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&met, __ATOMIC_SEQ_CST) < 4) {
    }
}

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
        {
            meet();
            usleep(200000);
        }
    }
    return 0;
}
