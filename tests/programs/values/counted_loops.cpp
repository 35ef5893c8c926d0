// SPDX-License-Identifier: Apache-2.0
// Twelve kinds of loops: each iteration tells what counts it, and which of the loop it is, from 0 on.
// There are as many iterations of each as the first argument says, a multiple of 4.
#include <omp.h>
#include <vector>

enum { SIZE = 4 };

extern "C" __attribute__((noinline)) void probe(const char *expression, long value, long iteration)
{
    __asm__ volatile("" : : "r"(expression), "r"(value), "r"(iteration) : "memory");
}

static __attribute__((noinline)) void by_schedule(int count)
{
#pragma omp parallel for num_threads(SIZE) schedule(static)
    for (int i = 3; i < 3 + count; i++)
        probe("i", i, i - 3);
#pragma omp parallel for num_threads(SIZE) schedule(static, 3)
    for (int i = -count; i < count; i += 2)
        probe("i", i, (i + count) / 2);
#pragma omp parallel for num_threads(SIZE) schedule(dynamic, 2)
    for (int i = 5 * count; i > 0; i -= 5)
        probe("i", i, (5 * count - i) / 5);
#pragma omp parallel for num_threads(SIZE) schedule(guided)
    for (int i = 1; i <= 7 * count; i += 7)
        probe("i", i, i / 7);
#pragma omp parallel for num_threads(SIZE) schedule(static, 1) ordered
    for (int i = 0; i < count; i++) {
#pragma omp ordered
        probe("i", i, i);
    }
}

static __attribute__((noinline)) void by_type(unsigned count, double *list)
{
    double *const end = list + count;
#pragma omp parallel for num_threads(SIZE) schedule(static)
    for (unsigned i = 4294967295u; i > 4294967295u - count; i--)
        probe("i", i, 4294967295u - i);
#pragma omp parallel for num_threads(SIZE) schedule(dynamic)
    for (long i = 1l << 40; i < (1l << 40) + 3l * count; i += 3)
        probe("i", i, (i - (1l << 40)) / 3);
#pragma omp parallel for num_threads(SIZE) schedule(guided, 2)
    for (unsigned long i = 1ul << 63; i < (1ul << 63) + count; i++)
        probe("i", (long)i, (long)(i - (1ul << 63)));
#pragma omp parallel for num_threads(SIZE) schedule(static, 2)
    for (double *i = list; i < end; ++i)
        probe("i-list", i - list, i - list);
}

static __attribute__((noinline)) void iterated(std::vector<double> &list)
{
#pragma omp parallel for num_threads(SIZE)
    for (std::vector<double>::iterator i = list.begin(); i < list.end(); ++i)
        probe("*i._M_current", (long)*i, (long)*i);
}

static __attribute__((noinline)) void collapsed(int count)
{
#pragma omp parallel for num_threads(SIZE) collapse(2)
    for (int i = 0; i < count / 4; i++)
        for (long j = 10; j < 14; j++)
            probe("1000*i+j", 1000 * i + j, i * 4 + (j - 10));
#pragma omp parallel for num_threads(SIZE) collapse(2) schedule(dynamic, 3)
    for (unsigned i = (unsigned)count / 2; i > 0; i--)
        for (int j = 7; j > 3; j -= 2)
            probe("1000*i+j", 1000l * i + j, (count / 2 - (long)i) * 2 + (7 - j) / 2);
}

int main(int, char **argv)
{
    int count = 0;
    for (const char *digit = argv[1]; digit != nullptr && *digit != 0; digit++)
        count = 10 * count + *digit - '0';
    std::vector<double> list((unsigned)count);
    for (int at = 0; at < count; at++)
        list[(unsigned)at] = at;
    by_schedule(count);
    by_type((unsigned)count, list.data());
    iterated(list);
    collapsed(count);
    return 0;
}
