/* SPDX-License-Identifier: Apache-2.0 */
/* Threads sleep for words that nobody else can use, on the heap and on a stack, without telling the
 * kernel so; one waits to write what another reads. */
#include "hangs.h"

#include <linux/futex.h>
#include <sys/syscall.h>

static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER; /* says: pthread rwlock "shared" */

int main(void) {
    int on_stack = 0;
    int *const on_heap = calloc(1, sizeof *on_heap);
    ready();
#pragma omp parallel num_threads(4)
    {
        const int member = omp_get_thread_num();
        if (member == 0)
            pthread_rwlock_rdlock(&shared);
        meet(4);
        if (member == 1)
            pthread_rwlock_wrlock(&shared); /* expect: deadlock */
        int *const word = member == 2 ? on_heap : &on_stack;
        if (member > 1)
            syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL); /* expect: deadlock */
#pragma omp barrier                                        /* expect: deadlock */
    }
    return 0;
}
