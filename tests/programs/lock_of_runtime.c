// SPDX-License-Identifier: Apache-2.0
// The primary thread wakes workers that sleep: for that the runtime locks a mutex of its own,
// which a debugger has made one that nobody releases.
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) void workers_sleep(void) { usleep(300000); }

int main(void) {
    setenv("KMP_BLOCKTIME", "0", 1);
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += omp_get_thread_num();
    workers_sleep();
    alarm(1);
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += omp_get_thread_num();
    return sum != 6;
}
