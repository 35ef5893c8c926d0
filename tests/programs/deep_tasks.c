// SPDX-License-Identifier: Apache-2.0
/* A recursion of tasks that are executed at once, as deep as is asked for. */
#include <stdlib.h>

static volatile int hits;

__attribute__((noinline)) void hit(void) { hits++; }

__attribute__((noinline)) int descend(int depth) {
    int found = 0;
    if (depth == 0) {
        hit();
        return 1;
    }
#pragma omp task shared(found) if (0)
    found = descend(depth - 1) + 1;
#pragma omp taskwait
    return found;
}

int main(int count, char **arguments) {
    const int depth = count > 1 ? atoi(arguments[1]) : 100;
#pragma omp parallel num_threads(2)
#pragma omp master
    descend(depth);
    return 0;
}
