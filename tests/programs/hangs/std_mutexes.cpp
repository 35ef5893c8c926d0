/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes of C++'s library, taken in both orders: the user's lines are outside of its headers. */
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>

struct Cell {
    double value = 0;
    std::mutex gate;
};

static std::array<Cell, 3> cells;
static std::recursive_mutex outer;

int main() {
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(3)
    {
        const int number = omp_get_thread_num();
        if (number == 0) {
            const std::lock_guard<std::recursive_mutex> one(outer);
#pragma omp barrier
            cells[1].gate.lock(); /* expect: deadlock */ /* says: "cells[1].gate" */
        } else if (number == 1) {
            const std::lock_guard<std::mutex> one(cells[1].gate);
#pragma omp barrier
            const std::unique_lock<std::recursive_mutex> other(outer); /* expect: deadlock */
        } else {
#pragma omp barrier
            std::for_each(cells.begin(), cells.end(), [](Cell &) {
                const std::lock_guard<std::recursive_mutex> one(outer); /* says: "outer" */
            });
        }
    }
    return 0;
}
