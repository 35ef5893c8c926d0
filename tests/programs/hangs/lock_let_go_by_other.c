/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits for a lock that it has set itself, until another one of its team lets it go, which
 * OpenMP forbids and the runtimes do. */
#include "hangs.h"

static omp_lock_t gate;

static __attribute__((noinline)) void pass(void) { omp_set_lock(&gate); }
static __attribute__((noinline)) void open_gate(void) { omp_unset_lock(&gate); }

int main(void) {
    omp_init_lock(&gate);
    omp_set_lock(&gate);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            pause(); /* expect: waiting */
            open_gate();
        } else {
            pass();
        }
    }
    return 0;
}
