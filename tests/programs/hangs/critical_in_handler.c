/* SPDX-License-Identifier: Apache-2.0 */
/* A signal stops a thread amid a critical, and its handler wants to enter that one. */
#include "hangs.h"

#include <signal.h>
#include <time.h>

static volatile long count;

static void show(int number) {
#pragma omp critical(statistics) /* expect: deadlock */
    count = number;
}

int main(void) {
    signal(SIGUSR1, show);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp critical(statistics)
            {
                timer_t timer;
                const struct itimerspec soon = {.it_value = {.tv_nsec = 20000000}};
                struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
                event._sigev_un._tid = gettid();
                timer_create(CLOCK_MONOTONIC, &event, &timer);
                timer_settime(timer, 0, &soon, NULL);
                while (count >= 0) /* says: which it holds itself */
                    count++;
            }
        }
    }
    return 0;
}
