/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads of a team are in target regions, one of them the primary thread, as the third has
   come to the barrier. */
#include <omp.h>

static volatile int there, done;

__attribute__((noinline)) void visit(void) { __asm__ volatile("" ::: "memory"); }

static void stay(int is_last) {
    __atomic_add_fetch(&there, 1, __ATOMIC_SEQ_CST);
    while (there < 3) {
    }
    if (is_last) {
        visit();
        done = 1;
    }
    while (!done) {
    }
}

int main(void) {
#pragma omp parallel num_threads(3)
    {
        int own = omp_get_thread_num();
        if (own == 2) {
            __atomic_add_fetch(&there, 1, __ATOMIC_SEQ_CST);
        } else {
#pragma omp target firstprivate(own)
            {
                stay(own);
                there += 0;
            }
        }
#pragma omp barrier
    }
    return 0;
}
