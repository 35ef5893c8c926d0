// SPDX-License-Identifier: Apache-2.0
// Loops over variables of each width: each iteration tells what counts it, and which of the loop it
// is, from 0 on. Most go from below 0 to above it, where a register has more bits than the variable.
enum { SIZE = 2 };

extern "C" __attribute__((noinline)) void probe(const char *expression, long value, long iteration)
{
    __asm__ volatile("" : : "r"(expression), "r"(value), "r"(iteration) : "memory");
}

template <class Number> static __attribute__((noinline)) void counted(Number low, Number high)
{
#pragma omp parallel num_threads(SIZE)
    {
#pragma omp for schedule(guided)
        for (Number i = low; i < high; i++)
            probe("i", (long)i, (long)i - low);
#pragma omp for schedule(static)
        for (Number i = low; i < high; i += 3)
            probe("i", (long)i, ((long)i - low) / 3);
    }
}

template <class Number> static __attribute__((noinline)) void fallen(Number high, Number low)
{
#pragma omp parallel num_threads(SIZE)
#pragma omp for schedule(dynamic, 3)
    for (Number i = high; i > low; i -= 2)
        probe("i", (long)i, (high - (long)i) / 2);
}

static __attribute__((noinline)) void constant()
{
#pragma omp parallel num_threads(SIZE)
    {
#pragma omp for schedule(guided)
        for (short i = -5; i < 4; i++)
            probe("i", i, i + 5);
#pragma omp for schedule(guided)
        for (signed char i = 4; i > -5; i -= 3)
            probe("i", i, (4 - i) / 3);
    }
}

int main()
{
    counted<signed char>(-5, 4);
    counted<unsigned char>(124, 133);
    counted<short>(-5, 4);
    counted<unsigned short>(32764, 32773);
    counted<int>(-5, 4);
    counted<unsigned>(2147483644U, 2147483653U);
    counted<long>(-5, 4);
    counted<unsigned long>(9223372036854775804UL, 9223372036854775813UL);
    // GCC 12's code executes no iteration of such a loop over a narrower unsigned variable.
    fallen<signed char>(4, -5);
    fallen<short>(4, -5);
    fallen<int>(4, -5);
    fallen<long>(4, -5);
    fallen<unsigned long>(9223372036854775813UL, 9223372036854775804UL);
    constant();
    return 0;
}
