/* SPDX-License-Identifier: Apache-2.0 */
/* A task waits for what it has begun with std::async, which is joined by the routine of a
 * pthread_once. */
#include <cstdio>
#include <future>

#include <unistd.h>

static int input[2];

static int get() {
    char one = 0;
    return static_cast<int>(read(input[0], &one, 1)); /* expect: waiting */
}

int main() {
    if (pipe(input) != 0)
        return 1;
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            std::future<int> answer = std::async(std::launch::async, get);
            answer.get();
        }
#pragma omp taskwait
    }
}
