/* SPDX-License-Identifier: Apache-2.0 */
/* Untied tasks that are final from some depth on: clang cuts each into parts, of which one has
 * the runtime execute the next. */
#include <omp.h>

enum { DEPTH = 6 };

volatile int last;

__attribute__((noinline)) static void leaf(int depth) {
    last = depth;
}

__attribute__((noinline)) static void descend(int depth) {
    if (depth == 0) {
        leaf(depth);
        return;
    }
    for (int i = 0; i < 2; ++i) {
#pragma omp task untied final(depth < 3) firstprivate(depth)
        descend(depth - 1);
    }
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
    descend(DEPTH);
    return 0;
}
