/* SPDX-License-Identifier: Apache-2.0 */
/* Blocked in functions that the C library has other names for inside. */
#include "hangs.h"

#include <semaphore.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static sem_t gate;
static int ends[2], other_ends[2];
static FILE *input;
static pthread_t sleeper;
static pid_t child;

static void *sleep_on(void *nothing) {
    for (;;)
        pause();
    return nothing;
}

static void block(int number) {
    char byte;
    int status = 0;
    if (number == 0)
        status = pthread_join(sleeper, NULL); /* expect: waiting */
    else if (number == 1)
        status = waitpid(child, NULL, 0) < 0; /* expect: waiting */
    else if (number == 2)
        status = sem_wait(&gate); /* expect: waiting */
    else if (number == 3)
        status = fscanf(input, "%c", &byte) < 0; /* expect: waiting */
    else
        status = read(ends[0], &byte, 1) < 0; /* expect: waiting */
    if (status != 0)
        abort();
}

int main(void) {
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pause();
        _exit(0);
    }
    sem_init(&gate, 0, 0);
    if (pipe(ends) != 0 || pipe(other_ends) != 0)
        abort();
    input = fdopen(other_ends[0], "r");
    if (pthread_create(&sleeper, NULL, sleep_on, NULL) != 0)
        abort();
    ready();
#pragma omp parallel num_threads(5)
    block(omp_get_thread_num());
    return 0;
}
