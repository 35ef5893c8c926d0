// SPDX-License-Identifier: Apache-2.0
/* A function that is inlined from a header into the begin of a region. */
#include <sched.h>

static volatile int come;

static inline __attribute__((unused)) void meet_here(int number) {
    __atomic_fetch_add(&come, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&come, __ATOMIC_SEQ_CST) < number) {
        sched_yield();
    }
}
