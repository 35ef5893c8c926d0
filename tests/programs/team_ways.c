/* SPDX-License-Identifier: Apache-2.0 */
/* Constructs whose calls clang -O2 makes one, to which several ways lead. */
#include <stdlib.h>

static volatile int seen;
__attribute__((noinline)) void alone(const char *reason) { seen += reason[0]; }

static void pair(void) {
#pragma omp parallel num_threads(2)
    {
        alone("num_threads");
        seen++;
    }
}

static void one(void) {
#pragma omp parallel num_threads(1)
    {
        alone("num_threads");
        seen++;
    }
}

static void as_set(void) {
#pragma omp parallel
    {
        alone("environment");
        seen++;
    }
}

int main(int argc, char **argv) {
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    if (which == 2)
        pair();
    else if (which == 1)
        one();
    else
        as_set();
    return seen < 0;
}
