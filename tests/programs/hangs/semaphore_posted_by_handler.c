/* SPDX-License-Identifier: Apache-2.0 */
/* A team waits for a semaphore that a signal's handler posts, which only data names. */
#include "hangs.h"

#include <semaphore.h>
#include <signal.h>

static sem_t gate;

static void posts(int number) {
    (void)number;
    sem_post(&gate);
}

static struct sigaction action = {.sa_handler = posts};

int main(void) {
    sem_init(&gate, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    ready();
#pragma omp parallel num_threads(3)
    {
        sem_wait(&gate); /* expect: waiting */
#pragma omp barrier
    }
    return 0;
}
