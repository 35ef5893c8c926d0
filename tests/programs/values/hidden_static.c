/* SPDX-License-Identifier: Apache-2.0 */
/* A task's code sees a static variable; the region in which it is executed, when the function that
 * generated it has returned, has a local one of that name, or the function that began it. */
#include <omp.h>

static int level = 41;

__attribute__((noinline)) void stop(int seen) { __asm__ volatile("" : : "r"(seen) : "memory"); }

__attribute__((noinline)) static void submit(void) {
#pragma omp task untied
    {
        level += omp_get_level() - 1;
        stop(0);
    }
}

__attribute__((noinline)) static void outside(void) {
    int level = 9;
    __asm__ volatile("" : : "r"(&level) : "memory");
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        submit();
    __asm__ volatile("" : : "r"(&level) : "memory");
}

int main(void) {
    outside();
#pragma omp parallel num_threads(2)
    {
        int level = omp_get_thread_num() + 7;
        if (level == 7)
            submit();
#pragma omp barrier
        stop(level);
    }
    return 0;
}
