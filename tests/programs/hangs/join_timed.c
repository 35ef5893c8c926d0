/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for the end of a thread for a time only has the lock that this one wants. */
#include "hangs.h"

#include <time.h>

static omp_lock_t gate;

static void *enter(void *nothing) {
    omp_set_lock(&gate); /* says: held by GDB thread 2 */
    omp_unset_lock(&gate);
    return nothing;
}

int main(void) {
    struct timespec end = {.tv_sec = time(NULL) + 3600};
    omp_init_lock(&gate);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            pthread_t thread;
            omp_set_lock(&gate);
            pthread_create(&thread, NULL, enter, NULL);
            pthread_timedjoin_np(thread, NULL, &end); /* expect: waiting */
            omp_unset_lock(&gate);
        }
    }
    return 0;
}
