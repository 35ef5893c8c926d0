// SPDX-License-Identifier: Apache-2.0
// What a name means before and behind the declaration that hides another.
#include <omp.h>

static double every = 4.25;

__attribute__((noinline)) void stop_here(void) { __asm__ volatile("" ::: "memory"); }

int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        if (omp_get_thread_num() == 0) {
            stop_here();
            int every = 7;
            __asm__ volatile("" : : "r"(&every) : "memory");
            stop_here();
            sum += every;
        }
    }
    return sum != 7 || every != 4.25;
}
