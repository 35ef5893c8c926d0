/* SPDX-License-Identifier: Apache-2.0 */
/* Who joins a thread has the mutex that it wants. */
#include <omp.h>

#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex results;
static int count = 0;

static void add() {
    std::lock_guard<std::mutex> guard(results); /* expect: deadlock */ /* says: "results" */
    count++;
}

int main() {
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            std::lock_guard<std::mutex> guard(results);
            std::thread other(add);
            other.join(); /* expect: deadlock */ /* says: for the end of GDB thread */
        }
    }
    return count;
}
