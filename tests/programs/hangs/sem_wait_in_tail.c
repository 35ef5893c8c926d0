/* SPDX-License-Identifier: Apache-2.0 */
/* The same of every thread of the team, with a semaphore that nobody posts. Optimised code may
   jump to another function as well, and sem_wait jumps on to one that has no name for users. */
#include "hangs.h"

#include <semaphore.h>

static sem_t gate;

int main(void) {
    sem_init(&gate, 0, 0);
    ready();
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() < 3)
        sem_wait(&gate); /* expect: deadlock */
    else
        usleep(1);
    return 0;
}
