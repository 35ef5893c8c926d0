/* SPDX-License-Identifier: Apache-2.0 */
// Flags of a class, of which clang keeps the one part that is used, by a name of its own.
#include <atomic>
#include <cstdio>
#include <thread>

#include <omp.h>

static std::atomic<bool> go{false}; /* says: spinning on "go */

static void wait_for_it() {
    while (!go.load(std::memory_order_acquire))
        std::this_thread::yield(); /* expect: waiting */
}

int main() {
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            wait_for_it();
        else {
#pragma omp barrier
            go = true;
        }
    }
}
