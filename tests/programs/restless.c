/* SPDX-License-Identifier: Apache-2.0 */
/* Regions, tasks and waits of every size, for ever: something to stop anywhere in. */
#include <omp.h>

static volatile int sum;

static int fibonacci(int n) {
    int last, before;
    if (n < 2)
        return n;
#pragma omp task shared(last)
    last = fibonacci(n - 1);
#pragma omp task shared(before)
    before = fibonacci(n - 2);
#pragma omp taskwait
    return last + before;
}

static void inner(int threads) {
#pragma omp parallel num_threads(threads)
    {
#pragma omp critical(gate)
        sum = sum + omp_get_thread_num();
#pragma omp barrier
#pragma omp single
        sum = sum + fibonacci(5);
    }
}

int main(void) {
    omp_set_max_active_levels(3);
    for (int round = 0;; round = (round + 1) % 1000) {
#pragma omp parallel num_threads(1 + round % 4)
        {
            inner(1 + (round + omp_get_thread_num()) % 3);
#pragma omp for schedule(dynamic) ordered
            for (int i = 0; i < 8; i++) {
#pragma omp ordered
                sum = sum + i;
            }
        }
#pragma omp parallel if (0)
        inner(1 + round % 2);
    }
}
