// SPDX-License-Identifier: Apache-2.0
// With optimisation `both`, `all` and `sum` are in registers, or pointers to them are in no place.
#include <omp.h>

struct pair {
    int x, y;
};
struct node {
    struct pair pair;
    long weight;
    struct pair *link;
};

static double sink[8];

__attribute__((noinline)) void stop_here(void) { __asm__ volatile("nop" ::: "memory"); }

static inline __attribute__((always_inline)) int sum_of(struct pair *both, int times) {
    int sum = both->x + both->y * times;
    stop_here();
    sink[times & 3] += both->x + both->y;
    return sum;
}

static inline __attribute__((always_inline)) int through(int *sum, struct node all) {
    *sum += all.pair.x;
    all.weight += *sum;
    stop_here();
    sink[1] += all.weight + all.link->y;
    return *sum + (int)all.weight;
}

int main(int argc, char **argv) {
    (void)argv;
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        struct pair lone = {argc + 40, argc + 50};
        int first = sum_of(&lone, me + 3);
        struct node all = {{first, 2}, argc + 5, &lone};
        int sum = me + 2;
        int second = through(&sum, all);
        stop_here();
        sink[4 + me] += first + second + sum + lone.x;
    }
    return sink[0] == 3;
}
