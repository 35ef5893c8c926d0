/* SPDX-License-Identifier: Apache-2.0 */
/* A process has ended with a mutex locked that this one shares with it. */
#include "hangs.h"

#include <sys/mman.h>
#include <sys/wait.h>

int main(void) {
    pthread_mutex_t *const gate =
        mmap(NULL, sizeof *gate, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t shared;
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(gate, &shared);
    const pid_t other = fork();
    if (other == 0) {
        pthread_mutex_lock(gate);
        _exit(0);
    }
    waitpid(other, NULL, 0);
    ready(); /* says: , which is no thread of this process */
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            pthread_mutex_lock(gate); /* expect: waiting */
    }
    return 0;
}
