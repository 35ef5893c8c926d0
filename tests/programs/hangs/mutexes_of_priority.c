/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads lock two mutexes that hand on priority, in opposite order. The kernel refuses the
 * second of them, which glibc then has sleep forever. */
#include "hangs.h"

static pthread_mutex_t ledger, journal; /* says: "ledger" */ /* says: "journal" */

static void begin(pthread_mutex_t *mutex) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(mutex, &attributes);
}

int main(void) {
    begin(&ledger);
    begin(&journal);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            pthread_mutex_lock(&ledger);
            meet(2);
            pthread_mutex_lock(&journal); /* expect: deadlock */
            work(1);
        } else if (omp_get_thread_num() == 1) {
            pthread_mutex_lock(&journal);
            meet(2);
            pthread_mutex_lock(&ledger); /* expect: deadlock */
            work(2);
        }
    }
    return 0;
}
