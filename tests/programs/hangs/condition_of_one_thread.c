/* SPDX-License-Identifier: Apache-2.0 */
/* The one thread of a team waits in a section for what a later section is to tell it. */
#include "hangs.h"

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int is_there;

int main(void) {
    ready();
#pragma omp parallel sections num_threads(1)
    {
#pragma omp section
        {
            pthread_mutex_lock(&guard);
            while (!is_there)
                pthread_cond_wait(&told, &guard); /* expect: deadlock */
            pthread_mutex_unlock(&guard);
        }
#pragma omp section
        {
            pthread_mutex_lock(&guard);
            is_there = 1;
            pthread_cond_signal(&told);
            pthread_mutex_unlock(&guard);
        }
    }
    return 0;
}
