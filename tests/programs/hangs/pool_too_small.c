/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier of the program's own making waits for more threads than the team has. */
#include "hangs.h"

struct pool {
    atomic_int arrived, passed; /* says: which spin on "pool.passed" */
    int size;
};

static void wait_for_all(struct pool *pool) {
    int now = atomic_load_explicit(&pool->passed, memory_order_relaxed);
    if (atomic_fetch_add(&pool->arrived, 1) == pool->size - 1) {
        atomic_store(&pool->arrived, 0);
        atomic_fetch_add(&pool->passed, 1);
        return;
    }
    while (atomic_load_explicit(&pool->passed, memory_order_relaxed) == now) /* expect: waiting */
        ;
}

int main(void) {
    static struct pool pool = {.size = 3};
    ready();
#pragma omp parallel num_threads(2)
    wait_for_all(&pool);
    return 0;
}
