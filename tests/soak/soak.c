/* SPDX-License-Identifier: Apache-2.0 */
/* soak [TIMES [ENDING]]: so many times eight threads in a nest of two levels, each in an
   explicit task, all waiting when soak_is_here is called; then so many threads that end, one
   after the other, each with a region of its own. */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

enum { OUTER = 4, INNER = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived;

__attribute__((noinline)) void soak_is_here(int count) {
    __asm__ volatile("" : : "r"(count) : "memory");
}

static void arrive(void) {
    pthread_mutex_lock(&lock);
    if (++arrived == OUTER * INNER) {
        soak_is_here(arrived);
        pthread_cond_broadcast(&all_here);
    } else {
        while (arrived < OUTER * INNER)
            pthread_cond_wait(&all_here, &lock);
    }
    pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) void soak_ends(long number) {
    __asm__ volatile("" : : "r"(number) : "memory");
}

static void *end(void *number) {
#pragma omp parallel num_threads(1)
    soak_ends((long)number);
    return NULL;
}

int main(int argc, char **argv) {
    int times = argc > 1 ? atoi(argv[1]) : 1;
    long ending = argc > 2 ? atol(argv[2]) : 0;
    omp_set_max_active_levels(2);
    for (; times > 0; times--) {
        arrived = 0;
#pragma omp parallel num_threads(OUTER)
#pragma omp parallel num_threads(INNER)
#pragma omp task if (0)
        arrive();
    }
    for (long number = 1; number <= ending; number++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, end, (void *)number) != 0) return 1;
        pthread_join(thread, NULL);
    }
    return 0;
}
