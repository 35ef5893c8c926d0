/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that depend on each other, through a lock too. None of them is undeferred: libomp 14
   keeps the dependences of such a one on the stack, where another thread may still count
   down when they are gone, and crashes in one of 30 runs of four seconds, without a debugger
   too (kmp_taskdeps.cpp, __kmpc_omp_wait_deps). */
#include "../hangs.h"

static omp_lock_t owned;

int main(void) {
    int value = 0;
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        for (;;) {
#pragma omp task depend(inout : value) shared(value)
            {
                omp_set_lock(&owned);
                value++;
                omp_unset_lock(&owned);
            }
#pragma omp task depend(in : value) shared(value)
            work(value & 1);
#pragma omp taskwait
        }
    }
    return 0;
}
