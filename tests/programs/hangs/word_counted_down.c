/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads count a word down, as C++'s latch does, and wait for a third one. */
#include "hangs.h"

#include <linux/futex.h>
#include <sys/syscall.h>

static atomic_int left = 3;

static __attribute__((noinline)) void arrive_and_wait(void) {
    atomic_fetch_sub(&left, 1);
    for (int now = atomic_load(&left); now != 0; now = atomic_load(&left))
        syscall(SYS_futex, &left, FUTEX_WAIT_PRIVATE, now, NULL); /* expect: deadlock */
}

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            usleep(100000); /* the other one sleeps for what the word no longer has */
        arrive_and_wait();
    }
    return 0;
}
