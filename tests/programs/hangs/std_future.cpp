/* SPDX-License-Identifier: Apache-2.0 */
/* A future that nobody makes ready, and one whose thread sleeps: at -O0 the system's code
 * calls what the header of the second one has. */
#include <omp.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    auto future = promise.get_future();
    int got = 0;
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(3) reduction(+ : got)
    {
        const int number = omp_get_thread_num();
        if (number == 1) {
            got += future.get(); /* expect: waiting */
            /* says: in std::future::get */
        } else if (number == 2) {
            auto asleep = std::async(std::launch::async, [] {
                std::this_thread::sleep_for(std::chrono::hours(1));
                return 1;
            });
            got += asleep.get(); /* says: std_future.cpp:28 */
        }
    }
    return got;
}
