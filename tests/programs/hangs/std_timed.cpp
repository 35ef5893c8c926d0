// SPDX-License-Identifier: Apache-2.0
// Threads wait for a time by what the C++ library has in its headers.
#include <omp.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

static std::mutex inside;
static std::condition_variable opened;
static std::promise<int> promise;
static bool is_open;

int main() {
    std::shared_future<int> result = promise.get_future().share();
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(3)
    {
        const int member = omp_get_thread_num();
        if (member == 0) {
            std::unique_lock<std::mutex> lock(inside);
            /* says: blocked in std::condition_variable::wait_for() */
            opened.wait_for(lock, 9h, [] { return is_open; }); /* expect: waiting */
        }
        if (member == 1) {
            /* says: blocked in std::future::wait_for() */
            result.wait_for(9h);
        }
        if (member == 2) {
            /* says: blocked in std::this_thread::sleep_for() */
            std::this_thread::sleep_for(9h);
        }
    }
    return 0;
}
