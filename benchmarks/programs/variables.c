/* SPDX-License-Identifier: Apache-2.0 */
/* The program "team", whose threads have many variables each. */
#define main main_of_team
#include "team.c"
#undef main

struct part {
    double x[4];
    int n;
    const char *name;
};

__attribute__((noinline)) static double deep(int depth, const struct part *given, int size,
                                             int stops) {
    volatile struct part own = *given;
    volatile double a = own.x[0], b = a + 1, c = b + 1, d = c + 1, list[4] = {a, b, c, d};
    volatile int i = own.n, j = i + 1, k = j + 1, l = k + 1;
    volatile char text[16] = "deep";
    if (depth > 0)
        return deep(depth - 1, given, size, stops) + d + l + text[0] + list[1];
    work(omp_get_thread_num(), size, stops);
    return own.x[1];
}

int main(int argc, char **argv) {
    const int size = argc > 1 ? atoi(argv[1]) : 4;
    const int stops = argc > 2 ? atoi(argv[2]) : 1;
    struct part part = {{1, 2, 3, 4}, argc, argv[0]};
    double sum = 0, first = 1, second = 2;
    int count = argc, other = 2;
#pragma omp parallel num_threads(size) firstprivate(first, second) reduction(+ : sum)
    {
        int me = omp_get_thread_num(), next = me + count, last = next + other;
        double x = first + me, y = second + next, z = x + y;
        sum += deep(6, &part, size, stops) + z + last;
    }
    return sum > 0 ? 0 : 1;
}
