// SPDX-License-Identifier: Apache-2.0
// Loops that GCC unrolls late: each copy of a body tells what counts it, and what else it knows.
enum { SIZE = 2, COUNT = 13 };

__attribute__((noipa)) void probe(const char *expression, long value, long iteration)
{
    __asm__ volatile("" : : "r"(expression), "r"(value), "r"(iteration) : "memory");
}

static volatile int total;

static __attribute__((noinline)) int added(int number)
{
    total += number;
    return number + 1;
}

static __attribute__((noinline)) void by_pragma(int count)
{
#pragma omp parallel num_threads(SIZE)
    {
#pragma GCC unroll 4
        for (int i = 3; i < count; i++)
            probe("i", i, i - 3);
    }
}

static __attribute__((noinline)) void one_behind_the_other(void)
{
#pragma omp parallel num_threads(SIZE)
    {
        for (int i = 3; i < 30; i += 3)
            probe("i", i, 0);
        for (int i = 16; i > 0; i--)
            probe("i", i, 0);
    }
}

static __attribute__((noinline)) void by_option(int count, double *list)
{
    double sum = 0;
#pragma omp parallel num_threads(SIZE)
    {
        const int limit = 2 * count;
        for (double *p = list; p < list + count; p++)
            probe("p-list", p - list, p - list);
        int i;
        for (i = 0; i < count; i += 2) {
            int more = added(i);
            probe("i", i, i / 2);
            probe("more", more, i / 2);
            probe("limit", limit, i / 2);
        }
#pragma omp for schedule(dynamic, 5)
        for (int j = 0; j < count; j++)
            probe("j", j, j);
#pragma omp for schedule(static, 5) reduction(+ : sum)
        for (int j = 0; j < count; j++) {
            sum += list[j] * list[j];
            list[j] = sum;
            probe("j", j, j);
            probe("count", count, j);
        }
    }
}

int main(void)
{
    double list[COUNT] = {1, 2, 3};
    by_pragma(COUNT);
    one_behind_the_other();
    by_option(COUNT, list);
    return 0;
}
