/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that is none of OpenMP's will let go the nest lock of the primary thread. */
#include "hangs.h"

static omp_nest_lock_t gate;

static void *opens(void *unused) {
    pause(); /* expect: waiting */
    omp_unset_nest_lock(&gate);
    return unused;
}

int main(void) {
    pthread_t thread;
    omp_init_nest_lock(&gate);
    omp_set_nest_lock(&gate);
    pthread_create(&thread, NULL, opens, NULL);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            omp_set_nest_lock(&gate);
            omp_unset_nest_lock(&gate);
        }
    }
    pthread_join(thread, NULL);
    return 0;
}
