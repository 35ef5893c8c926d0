/* SPDX-License-Identifier: Apache-2.0 */
/* A routine that is executed once waits at a barrier for a thread that waits for the routine, and
 * for one that sleeps for a word as the C++ library's std::latch does. */
#include "hangs.h"

#include <linux/futex.h>
#include <sys/syscall.h>

static pthread_once_t made; /* says: pthread_once "made" */
static int word;

static void make(void) { /* says: executed by GDB thread 1 */
    meet(3);
#pragma omp barrier /* expect: deadlock */
}

__attribute__((noinline)) static void use(void) {
    pthread_once(&made, make); /* expect: deadlock */
    word++;
}

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
        const int member = omp_get_thread_num();
        if (member > 0)
            meet(3);
        if (member == 2)
            syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL); /* expect: deadlock */
        else
            use();
#pragma omp barrier
    }
    return 0;
}
