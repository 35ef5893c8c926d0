/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks whose parents wait for them, and which take a lock. */
#include "../hangs.h"

static omp_lock_t owned;

static void spawn(int depth) {
    for (int i = 0; i < 2 && depth > 0; i++) {
#pragma omp task
        spawn(depth - 1);
    }
#pragma omp taskwait
    omp_set_lock(&owned);
    work(2);
    omp_unset_lock(&owned);
}

int main(void) {
    omp_init_lock(&owned);
    ready();
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        for (;;)
            spawn(4);
    }
    return 0;
}
