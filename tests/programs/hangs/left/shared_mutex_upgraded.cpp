/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits to write what it reads itself, by C++'s guards. */
#include <omp.h>

#include <cstdio>
#include <mutex>
#include <shared_mutex>

static std::shared_mutex table;

static void update() {
    std::unique_lock<std::shared_mutex> writes(table);
    std::puts("updated");
}

int main() {
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(2)
    {
        std::shared_lock<std::shared_mutex> reads(table);
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            update();
#pragma omp barrier
    }
    return 0;
}
