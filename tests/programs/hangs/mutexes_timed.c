/* SPDX-License-Identifier: Apache-2.0 */
/* Two mutexes in both orders, the second for a time only: the threads give up and go on. */
#include "hangs.h"

#include <time.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    struct timespec end = {.tv_sec = time(NULL) + 3600};
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            pthread_mutex_lock(&one);
            meet(2);
            pthread_mutex_timedlock(&other, &end); /* expect: waiting */
        } else {
            pthread_mutex_lock(&other);
            meet(2);
            while (pthread_mutex_clocklock(&one, CLOCK_REALTIME, &end) != 0)
                work(1); /* says: wait for a time only */
        }
        work(1);
    }
    return 0;
}
