// SPDX-License-Identifier: Apache-2.0
/* A region begins with a function of a header, which is inlined. */
#include "inlined_first.h"

static volatile int gone;

__attribute__((noinline)) void leave(void) { gone = 1; }

int main(void) {
#pragma omp parallel num_threads(3)
    { meet_here(3);
        leave();
#pragma omp barrier
        gone = 2;
    }
    return 0;
}
