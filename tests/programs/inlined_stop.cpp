/* SPDX-License-Identifier: Apache-2.0 */
/* Threads at the first instruction of a function, where others that are inlined into it begin:
   GDB shows the one that hits a breakpoint there in the function around them. */
#include <mutex>
#include <omp.h>

static std::mutex gate;
static int count;
int cell = -1;  // what GDB would take for the local variable of that name

static inline __attribute__((always_inline)) void note() {
    const std::lock_guard<std::mutex> hold(gate);
    ++count;
}

static inline __attribute__((always_inline)) void update(const int &cell) {
    if (cell >= 0) {
        note();
    }
}

int main() {
    int cells[64];
    for (int &each : cells) {
        each = 0;
    }
#pragma omp parallel num_threads(4)
    {
        cells[omp_get_thread_num()] = omp_get_thread_num() * 10;
#pragma omp barrier
        update(cells[omp_get_thread_num()]);
    }
    return count != 4;
}
