/* SPDX-License-Identifier: Apache-2.0 */
/* What fork() calls before it forks wants a mutex, and optimised leaves no frame: its holder waits at
   a barrier for the thread that forks. */
#include "hangs.h"

static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;

static void prepare(void) { pthread_mutex_lock(&cache); }
static void release(void) { pthread_mutex_unlock(&cache); }

int main(void) {
    pthread_atfork(prepare, release, release);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            pthread_mutex_lock(&cache);
        if (omp_get_thread_num() != 2)
            meet(2);
        if (omp_get_thread_num() == 0 && fork() == 0) /* says: "cache" */
            _exit(0);
#pragma omp barrier /* expect: deadlock */
        if (omp_get_thread_num() == 1)
            pthread_mutex_unlock(&cache);
    }
    return 0;
}
