/* SPDX-License-Identifier: Apache-2.0 */
/* A thread has taken a semaphore, as a lock, and waits at a barrier for those that want it. */
#include "hangs.h"

#include <semaphore.h>

static sem_t gate;

int main(void) {
    int count = 0;
    sem_init(&gate, 0, 1);
    sem_wait(&gate);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() != 0) {
            sem_wait(&gate); /* expect: deadlock */
            count++;
            sem_post(&gate);
        }
#pragma omp barrier
    }
    sem_post(&gate);
    return count;
}
