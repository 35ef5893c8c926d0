/* SPDX-License-Identifier: Apache-2.0 */
/* A thread sleeps for a word that another process can change. */
#include "hangs.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

int main(void) {
    int *const word =
        mmap(NULL, sizeof *word, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ready();
#pragma omp parallel num_threads(3)
    {
        meet(3);
        if (omp_get_thread_num() == 1)
            syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL); /* expect: waiting */
#pragma omp barrier
    }
    return 0;
}
