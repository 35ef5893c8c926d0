/* SPDX-License-Identifier: Apache-2.0 */
/* A lock of the program's own making, where each thread waits for a variable of its own until the
 * one before it writes that: one thread keeps the lock. */
#include "hangs.h"

struct place {
    struct place *_Atomic next;
    atomic_int waits; /* says: waits", take at */
};

static struct place *_Atomic last;

static void take(void) {
    struct place own;
    atomic_store(&own.next, NULL);
    atomic_store(&own.waits, 1);
    struct place *before = atomic_exchange(&last, &own);
    if (before != NULL) {
        atomic_store(&before->next, &own);
        while (atomic_load(&own.waits)) /* expect: waiting */
            ;
    }
    meet(1);
}

int main(void) {
    static struct place first;
    ready();
    atomic_store(&last, &first);
#pragma omp parallel num_threads(2)
    {
        for (int turn = 0; omp_get_thread_num() == 1 && turn < 3; turn++)
            take();
    }
    return 0;
}
