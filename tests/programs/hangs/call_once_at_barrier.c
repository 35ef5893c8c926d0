/* SPDX-License-Identifier: Apache-2.0 */
/* A routine of C's call_once waits at a barrier for the threads that wait for the routine. */
#include "hangs.h"

#include <threads.h>

static once_flag made = ONCE_FLAG_INIT; /* says: pthread_once "made" */

static void make(void) { /* says: executed by GDB thread */
#pragma omp barrier      /* expect: deadlock */
    work(1);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
        call_once(&made, make); /* expect: deadlock */
        work(1);
    }
    return 0;
}
