/* SPDX-License-Identifier: Apache-2.0 */
/* A region of one thread that a task begins: the task's function calls its body itself. */
#include <omp.h>

__attribute__((noinline)) static void stop_here(void) {
    __asm__ volatile("");
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
    {
        int own = omp_get_thread_num();
        __asm__ volatile("" : : "r"(&own) : "memory");
#pragma omp parallel if (0)
        {
            own++;
            stop_here();
        }
    }
    return 0;
}
