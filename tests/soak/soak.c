/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads in a nest of two levels, each in an explicit task, all waiting
   when soak_is_here is called. */
#include <omp.h>
#include <pthread.h>

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

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(OUTER)
#pragma omp parallel num_threads(INNER)
#pragma omp task if (0)
    arrive();
    return 0;
}
