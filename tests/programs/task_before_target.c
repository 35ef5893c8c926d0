/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that waits at a target construct for a task executes that: it is not in the region. */
#include <omp.h>

static void visit(int value) { __asm__ volatile("" ::"r"(value) : "memory"); }

int main(void) {
    int value = 0;
    int done = 0;
#pragma omp parallel num_threads(2) shared(value, done)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : value) shared(value)
            {
                value = 1;
                visit(value);
            }
#pragma omp target depend(in : value) map(tofrom : value)
            value++;
#pragma omp atomic write
            done = 1;
        } else {
            int seen = 0;
            while (!seen) {
#pragma omp atomic read
                seen = done;
            }
        }
    }
    return value - 2;
}
