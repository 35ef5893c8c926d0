/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads arrive at a latch for three, the second one when the first one sleeps. */
#include <omp.h>

#include <chrono>
#include <cstdio>
#include <latch>
#include <thread>

static std::latch opened(3);

int main() {
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        opened.arrive_and_wait();
    }
    return 0;
}
