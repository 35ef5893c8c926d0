/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the program's own: two with teams of their own, one without OpenMP. */
#include "truth.h"

#include <omp.h>
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t round_begins;

/* The one with the team of three leads: five others record, and the plain thread. */
static void *with_a_team(void *argument) {
    const int size = *(const int *)argument;
    truth_made_by_program();
    pthread_barrier_wait(&round_begins);
    const int region = TRUTH_NEXT(TRUTH_PARALLEL);
#pragma omp parallel num_threads(size)
    {
        truth_begin(region);
        if (size == 3 && omp_get_thread_num() == 0)
            truth_lead(6);
        else
            truth_hold();
        truth_end(region);
    }
    truth_hold();
    return NULL;
}

static void *without_openmp(void *argument) {
    (void)argument;
    pthread_barrier_wait(&round_begins);
    truth_hold_native();
    return NULL;
}

int main(void) {
    static const int sizes[] = {3, 2};
    pthread_t threads[3];
    pthread_barrier_init(&round_begins, NULL, 3);
    pthread_create(&threads[0], NULL, with_a_team, (void *)&sizes[0]);
    pthread_create(&threads[1], NULL, with_a_team, (void *)&sizes[1]);
    pthread_create(&threads[2], NULL, without_openmp, NULL);
    truth_hold();
    truth_lead(2);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    truth_release_natives();
    pthread_join(threads[2], NULL);
    return 0;
}
