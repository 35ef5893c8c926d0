// SPDX-License-Identifier: Apache-2.0
// A recursion of a thousand calls, all from one place and in part inlined, in a thread of a team.
#include <functional>
#include <omp.h>

static volatile int seen;
__attribute__((noinline)) static void deepest() { seen = seen + 1; }

static int call(int depth, const std::function<int(int)> &next) {
    return depth > 0 ? next(depth - 1) + 1 : (deepest(), 0);
}

int main() {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    if (omp_get_thread_num() == 1) {
        std::function<int(int)> next = [&](int depth) { return call(depth, next); };
        sum += next(1000);
    }
    return sum != 1000;
}
