/* SPDX-License-Identifier: Apache-2.0 */
/* A timer lets go the lock that a thread waits for, which it has set itself. What the timer is made
   of is a constant of clang's, in data. */
#include <signal.h>
#include <time.h>

#include "hangs.h"

static omp_lock_t gate;

static void rings(union sigval value) { /* says: when it is called back */
    (void)value;
    omp_unset_lock(&gate);
}

static __attribute__((noinline)) void pass(void) {
    omp_set_lock(&gate); /* expect: waiting */
}

static __attribute__((noinline)) void ring_in_an_hour(void) {
    timer_t timer;
    const struct itimerspec hour = {.it_value = {.tv_sec = 3600}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = rings};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &hour, NULL);
}

int main(void) {
    omp_init_lock(&gate);
    ring_in_an_hour();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            pass();
            ready();
            pass();
        }
    }
    return 0;
}
