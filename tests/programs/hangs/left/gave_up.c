/* SPDX-License-Identifier: Apache-2.0 */
/* There is no memory for another thread's stack: the runtime ends the program, which waits in a
 * function that it has for its end. Built optimized that is a jump. */
#include "../hangs.h"

#include <signal.h>
#include <sys/resource.h>

static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;

static void leave(void) {
    ready();
    pthread_mutex_lock(&kept);
}

static void aborted(int number) {
    (void)number;
    leave();
}

int main(int argc, char **argv) {
    (void)argc;
    if (getenv("OMP_STACKSIZE") == NULL) {
        setenv("OMP_STACKSIZE", "8G", 1);
        execv("/proc/self/exe", argv);
    }
    const struct rlimit limit = {1UL << 32U, 1UL << 32U};
    setrlimit(RLIMIT_AS, &limit);
    pthread_mutex_lock(&kept);
    atexit(leave);
    signal(SIGABRT, aborted);
#pragma omp parallel num_threads(3)
    work(1);
    return 0;
}
