/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are called through a pointer, and end with a jump to what begins their regions: no
   frame shows who asked for how many threads. */
#include <omp.h>
#include <stdlib.h>

static volatile int seen;
__attribute__((noinline)) void alone(const char *reason) { seen += reason[0]; }

#define SIZED(name, reason, ...)                                                                   \
    __attribute__((noinline)) static void name(int n) {                                            \
        seen += n;                                                                                 \
        _Pragma(__VA_ARGS__) {                                                                     \
            if (omp_get_thread_num() == 0)                                                         \
                alone(reason);                                                                     \
            seen++;                                                                                \
        }                                                                                          \
    }

SIZED(set, "environment", "omp parallel")
SIZED(one, "num_threads", "omp parallel num_threads(1)")
SIZED(three, "num_threads", "omp parallel num_threads(3)")

__attribute__((noinline)) static void both(int n) {
#pragma omp parallel if (n > 99) num_threads(4)
    {
        if (omp_get_thread_num() == 0)
            alone("if");
        seen++;
    }
}

static void (*volatile all[])(int) = {set, one, three, both};

int main(int argc, char **argv) {
    for (int at = 0; at < 4; at++)
        if (argc < 2 || atoi(argv[1]) == at)
            all[at](argc);
    return 0;
}
