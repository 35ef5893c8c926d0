/* SPDX-License-Identifier: Apache-2.0 */
/* A thread tries to set a lock by functions that call each other, as C++'s library does without
 * optimisation, and is mostly in the innermost. */
#include "../hangs.h"

static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) int are_threads(void) {
    __asm__ volatile(".rept 400\n\tnop\n\t.endr");
    return 1;
}

static __attribute__((noinline)) int tries(pthread_mutex_t *lock) {
    return are_threads() ? pthread_mutex_trylock(lock) : 0;
}

static __attribute__((noinline)) int takes(pthread_mutex_t *lock) { return tries(lock) == 0; }

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            pthread_mutex_lock(&kept);
            meet(2);
        } else {
            meet(2);
            while (!takes(&kept)) {
            }
        }
#pragma omp barrier
    }
    return 0;
}
