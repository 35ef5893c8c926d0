// SPDX-License-Identifier: Apache-2.0
// A lambda changes what it has captured by reference.
#include <omp.h>

extern "C" __attribute__((noinline)) void stop(int said, const void *place)
{
    __asm__ volatile("" : : "r"(place), "r"(said) : "memory");
}

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

int main()
{
    made();
    return 0;
}
