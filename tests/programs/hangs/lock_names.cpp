/* SPDX-License-Identifier: Apache-2.0 */
/* Locks that C++ has in other places than C: all are held by a thread at the barrier. */
#include <omp.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdio>

namespace heat {
omp_lock_t gate;

struct Cell {
    omp_lock_t lock;
    double value = 0;

    __attribute__((noinline)) void update() {
        omp_set_lock(&lock);
        value += 1;
        omp_unset_lock(&lock);
    }
};

std::array<Cell, 3> cells;
Cell *const single = new Cell;

__attribute__((noinline)) void pass() {
    omp_set_lock(&gate); /* expect: deadlock */
    omp_unset_lock(&gate);
}
}  // namespace heat

static std::atomic<int> holding{0};

static __attribute__((noinline)) void hold() {
    omp_set_lock(&heat::gate);
    omp_set_lock(&heat::cells[1].lock);
    omp_set_lock(&heat::single->lock);
    holding = 1;
#pragma omp barrier /* expect: deadlock */
    omp_unset_lock(&heat::single->lock);
    omp_unset_lock(&heat::cells[1].lock);
    omp_unset_lock(&heat::gate);
}

int main() {
    omp_init_lock(&heat::gate);
    omp_init_lock(&heat::single->lock);
    for (heat::Cell &cell : heat::cells)
        omp_init_lock(&cell.lock);
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(4)
    {
        const int number = omp_get_thread_num();
        while (number != 0 && !holding)
            sched_yield();
        if (number == 0)
            hold();
        else if (number == 1)
            heat::pass();
        else if (number == 2)
            heat::cells[1].update();
        else
            heat::single->update();
    }
    return 0;
}
