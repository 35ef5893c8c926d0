/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks in each other, forty deep, each waiting for its child. */
#include "../hangs.h"

static void descend(int depth) {
    if (depth == 0) {
        work(20000);
        return;
    }
#pragma omp task
    descend(depth - 1);
#pragma omp taskwait
}

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        for (;;)
            descend(40);
    }
    return 0;
}
