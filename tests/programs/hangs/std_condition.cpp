/* SPDX-License-Identifier: Apache-2.0 */
/* A condition variable of C++'s library that nobody notifies, and a thread that is joined and
 * sleeps: functions of that library have their own names. */
#include <omp.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable condition;
static bool is_done = false;

int main() {
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(3)
    {
        const int number = omp_get_thread_num();
        if (number == 1) {
            std::unique_lock<std::mutex> lock(mutex);
            while (!is_done)
                condition.wait(lock); /* expect: waiting */
            /* says: in std::condition_variable::wait */
        } else if (number == 2) {
            std::thread other([] { std::this_thread::sleep_for(std::chrono::hours(1)); });
            other.join(); /* says: in std::thread::join */
            is_done = true;
        }
    }
    return is_done ? 0 : 1;
}
