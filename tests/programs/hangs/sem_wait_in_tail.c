/* SPDX-License-Identifier: Apache-2.0 */
/* The same of every thread of the team, with a semaphore that nobody posts. */
#include "hangs.h"

#include <semaphore.h>

static sem_t gate;

int main(void) {
    sem_init(&gate, 0, 0);
    ready();
#pragma omp parallel num_threads(3)
    sem_wait(&gate); /* expect: waiting */
    return 0;
}
