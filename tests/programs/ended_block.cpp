// SPDX-License-Identifier: Apache-2.0
// A task is executed when the block that has generated it has ended: where what that declares was
// kept, the next block keeps its own. GCC describes all blocks of a constructor's body as one.
#include <atomic>
#include <omp.h>

static std::atomic<int> is_done, may_begin;

__attribute__((noinline)) void stop_here() { __asm__ volatile("" ::: "memory"); }

static void await(std::atomic<int> &what) {
    while (!what) {
    }
}

#define IS_IN_MEMORY(variable) __asm__ volatile("" : : "r"(&(variable)) : "memory")

struct made {
    explicit made(int given);
};

made::made(int given) {
#pragma omp parallel num_threads(2) firstprivate(given)
    {
        int kept = given + omp_get_thread_num();
        IS_IN_MEMORY(kept);
        if (omp_get_thread_num() == 0) {
            {
                int first = kept + 13;
                IS_IN_MEMORY(first);
#pragma omp task
                {
                    while (!may_begin) {
                    }
                    stop_here();
                    is_done = 1;
                }
                IS_IN_MEMORY(first);
            }
            {
                int second = kept + 22;
                IS_IN_MEMORY(second);
                may_begin = 1;
                await(is_done);
                stop_here();
                IS_IN_MEMORY(second);
            }
        }
        IS_IN_MEMORY(kept);
    }
}

int main() {
    made here(5);
    IS_IN_MEMORY(here);
    return 0;
}
