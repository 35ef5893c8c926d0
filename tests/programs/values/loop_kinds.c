/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of many kinds, whose bounds are not constant: each iteration tells what counts it, and which
   of the loop it is, from 0 on. */
#include <omp.h>

enum { COUNT = 12, SIZE = 3 };

static double list[COUNT];

__attribute__((noinline)) void probe(const char *expression, long value, long iteration)
{
    __asm__ volatile("" : : "r"(expression), "r"(value), "r"(iteration) : "memory");
}

static void orphaned(int count)
{
    int i = -1;
#pragma omp for schedule(static, 2)
    for (i = count; i > 0; i--)
        probe("i", i, count - i);
}

static void worksharing(int count, unsigned size, long bound)
{
    double *i, *end = list + count;
#pragma omp parallel for num_threads(SIZE) schedule(dynamic, 2)
    for (int i = 5; i < 5 + 3 * count; i += 3)
        probe("i", i, (i - 5) / 3);
#pragma omp parallel for num_threads(SIZE) schedule(static)
    for (unsigned i = 7 + 2 * size; i > 7u; i -= 2)
        probe("i", i, (7 + 2 * size - i) / 2);
#pragma omp parallel for num_threads(SIZE) schedule(guided)
    for (long i = -bound; i < bound; i += count / 6) {
        int half = (int)i / 2;
        probe("i", 2 * half + i % 2, (i + bound) / (count / 6));
    }
#pragma omp parallel for num_threads(SIZE)
    for (i = list; i < end; i++)
        probe("i-list", i - list, i - list);
#pragma omp parallel for num_threads(SIZE)
    for (double *i = end - 1; i >= list; i -= 2)
        probe("i-list", i - list, (end - 1 - i) / 2);
#pragma omp parallel for num_threads(SIZE) schedule(runtime)
    for (short i = 1; i <= (short)count; ++i)
        probe("i", i, i - 1);
#pragma omp parallel for num_threads(SIZE)
    for (unsigned long i = 1ul << 40; i < (1ul << 40) + size; i++)
        probe("i-(1ul<<40)", (long)(i - (1ul << 40)), (long)(i - (1ul << 40)));
}

static void collapsed(int count, long bound)
{
    int first = 40;
#pragma omp parallel for num_threads(SIZE) collapse(2) firstprivate(first)
    for (int i = 0; i < count / 3; i++)
        for (long j = 3; j < bound; j += 3) {
            first += i;
            probe("1000*i+j", 1000 * i + j, i * ((bound - 1) / 3) + (j - 3) / 3);
        }
#pragma omp parallel for num_threads(SIZE) collapse(3) schedule(dynamic)
    for (int i = count; i > 9; i--)
        for (int j = 0; j < 2; j++)
            for (unsigned k = 4; k < 4 + 2 * (unsigned)(count - 10); k += 2)
                probe("1000*i+10*j+k", 1000 * i + 10 * j + (long)k,
                      ((count - i) * 2 + j) * (count - 10) + (k - 4) / 2);
}

static void others(int count)
{
    int last = 0;
#pragma omp parallel num_threads(SIZE)
    {
        int own = omp_get_thread_num();
#pragma omp for nowait lastprivate(last)
        for (int i = own - own + 1; i < count; i++) {
            last = i;
            probe("i", i, i - 1);
        }
#pragma omp for ordered schedule(static, 1)
        for (int i = 2; i < count; i++) {
#pragma omp ordered
            probe("i", i, i - 2);
        }
        orphaned(count);
#pragma omp single
#pragma omp taskloop grainsize(2)
        for (unsigned long i = 3; i < (unsigned long)count; i++)
            probe("i", (long)i, (long)i - 3);
    }
#ifndef __OPTIMIZE__ /* else it says that a call is in the way */
#pragma omp parallel for simd num_threads(SIZE)
    for (int i = last; i < last + count; i++)
        probe("i", i, i - last);
#endif
}

int main(int argc, char **argv)
{
    (void)argv;
    worksharing(argc * COUNT, (unsigned)argc * COUNT, argc * COUNT);
    collapsed(argc * COUNT, argc * COUNT);
    others(argc * COUNT);
    return 0;
}
