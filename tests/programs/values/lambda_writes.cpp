// SPDX-License-Identifier: Apache-2.0
// A lambda changes what it has captured by reference.
#include <omp.h>

extern "C" __attribute__((noinline)) void stop(int said, const void *place)
{
    __asm__ volatile("" : : "r"(place), "r"(said) : "memory");
}

// It is described by one value in all of its function's code.
static void made()
{
    int seen = 0;
    const auto code = [&](int amount) {
        seen += amount;
        stop(seen, &seen);
#pragma omp parallel num_threads(2)
        {
#pragma omp critical
            stop(seen, &seen);
        }
    };
    code(1);
    code(1);
}

// And by the same value in a part of it.
static void made_later()
{
    stop(0, nullptr);
    int seen = 0;
    const auto code = [&](int amount) {
        seen += amount;
        stop(seen, &seen);
    };
    code(1);
}

int main()
{
    made();
    made_later();
    return 0;
}
