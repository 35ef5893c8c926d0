// SPDX-License-Identifier: Apache-2.0
// At -O2 GCC makes a loop of sum_to's and walk's calls of themselves. It tells `other` by a
// register for all of its block, into which it puts `noted` later.
#include <omp.h>

struct link {
    int value;
    struct link *next;
};
struct record {
    int noted;
    const char *names[48];
    long numbers[48];
};

static __thread volatile struct record record;
static double sink[8];
int truth;

__attribute__((noinline)) static void stop_here(void) { __asm__ volatile("nop" ::: "memory"); }

__attribute__((noinline)) static int sum_to(int n, int times) {
    int more = times * n;
    if (n == 3) {
        truth = n;
        stop_here();
        sink[1] += more;
    }
    return n == 0 ? (int)sink[2] : more + sum_to(n - 1, times);
}

__attribute__((noinline)) static long walk(struct link *at, long sum, int depth) {
    if (!at) {
        return sum;
    }
    if (depth == 2) {
        truth = depth;
        stop_here();
        sink[3] += at->value;
    }
    return walk(at->next, sum + at->value, depth + 1);
}

#define NOTE(what)                                                                                 \
    (record.names[record.noted] = #what, record.numbers[record.noted] = (long)(what),              \
     record.noted++)

__attribute__((noinline)) static void hold(int n) {
#pragma omp parallel num_threads(2)
    {
        int other = omp_get_thread_num();
        double base = n + other * 0.25;
        record.noted = 0;
        NOTE(other);
        NOTE(base);
        NOTE(n);
        stop_here();
#pragma omp parallel num_threads(2) firstprivate(base)
        {
            base += other;
            sink[4 + other] += base + n;
        }
    }
}

// It has `own` in a register that is preserved, in which it computes `first`.
__attribute__((noinline)) static void hold_preserved(int n) {
    int own = n * 23;
#pragma omp parallel num_threads(2)
    {
        sink[6] += own;
#pragma omp single
        {
            double first = own * truth % 1000;
#pragma omp task firstprivate(first)
            sink[7] = first;
        }
        stop_here();
    }
}

int main(int argc, char **argv) {
    (void)argv;
    struct link links[3] = {{argc, &links[1]}, {2, &links[2]}, {3, 0}};
    sink[0] += sum_to(5 + argc, argc) + (double)walk(links, 0, 0);
    hold(4 + argc);
    hold_preserved(argc);
    return sink[0] == 3;
}
