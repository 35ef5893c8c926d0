/* SPDX-License-Identifier: Apache-2.0 */
/* One worker of a team calls a function many times while the others wait: hits THREADS HITS. */
#include <omp.h>
#include <stdlib.h>

static volatile long sum;

__attribute__((noinline)) void hit(long i) {
    sum += i;
}

__attribute__((noinline)) void settled(void) {
    sum++;
}

int main(int argc, char **argv) {
    const int threads = argc > 1 ? atoi(argv[1]) : 4;
    const long hits = argc > 2 ? atol(argv[2]) : 1000;
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
        if (omp_get_thread_num() == threads - 1) {
            hit(-1); /* everybody is there now: a breakpoint is set here */
            for (long i = 0; i < hits; i++) hit(i);
            settled();
        }
    }
    return sum == 0;
}
