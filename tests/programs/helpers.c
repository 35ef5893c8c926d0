// SPDX-License-Identifier: Apache-2.0
// A target region that need not be waited for makes the runtime start its
// hidden helper threads; without a device it is executed on the host.
#include <omp.h>
#include <stdio.h>

__attribute__((noinline)) void stop_here(void) { __asm__ volatile(""); }

int main(void) {
    int sum = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait map(tofrom : sum)
        { sum++; }
#pragma omp taskwait
        stop_here();
    }
    printf("%d\n", sum);
    return 0;
}
