/* SPDX-License-Identifier: Apache-2.0 */
/* A nest lock that its owner takes again. */
#include "../hangs.h"

static omp_nest_lock_t nest;

static void again(int depth) {
    omp_set_nest_lock(&nest);
    if (depth > 0)
        again(depth - 1);
    work(2);
    omp_unset_nest_lock(&nest);
}

int main(void) {
    omp_init_nest_lock(&nest);
    ready();
#pragma omp parallel num_threads(4)
    {
        for (;;)
            again(3);
    }
    return 0;
}
