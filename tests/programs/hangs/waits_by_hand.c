/* SPDX-License-Identifier: Apache-2.0 */
/* Workers wait in loops of their own, which call the system's and the runtime's functions, for what
 * the primary thread writes behind the barrier. */
#include "hangs.h"

struct {
    int rounds;
    atomic_int turn;
} box;
volatile int stopped;

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num();
        if (me == 1) {
            while (!atomic_load(&box.turn)) sched_yield(); /* expect: waiting */ /* says: "box.turn" */
        } else if (me == 2) {
            while (!stopped) { /* expect: waiting */ /* says: spins on "stopped" */
#pragma omp flush
            }
        }
#pragma omp barrier
        if (me == 0) {
            atomic_store(&box.turn, 1);
            stopped = 1;
        }
    }
    return 0;
}
