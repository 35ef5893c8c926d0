/* SPDX-License-Identifier: Apache-2.0 */
/* Each of two threads has a lock and tries to set the other's: it lets its own go where that
 * fails, after some tries or some time, and begins anew. */
#include "../hangs.h"

#include <time.h>

#define TRIES 50
#define NANOSECONDS 20000

static omp_lock_t left, right;

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static __attribute__((noinline)) int take_both(omp_lock_t *own, omp_lock_t *other, int way) {
    omp_set_lock(own);
    if (way == 0) {
        for (int i = 0; i < TRIES; i++)
            if (omp_test_lock(other))
                return 1;
        omp_unset_lock(own);
        return 0;
    }
    if (way == 1) {
        for (const long end = now() + NANOSECONDS; now() < end;)
            if (omp_test_lock(other))
                return 1;
        omp_unset_lock(own);
        return 0;
    }
    while (!omp_test_lock(other)) {
        omp_unset_lock(own);
        omp_set_lock(own);
    }
    return 1;
}

int main(void) {
    omp_init_lock(&left);
    omp_init_lock(&right);
    ready();
#pragma omp parallel num_threads(2)
    {
        omp_lock_t *const own = omp_get_thread_num() == 0 ? &left : &right;
        omp_lock_t *const other = omp_get_thread_num() == 0 ? &right : &left;
        for (int i = 0;; i = (i + 1) % 3) {
            if (take_both(own, other, i)) {
                work(10);
                omp_unset_lock(other);
                omp_unset_lock(own);
            }
        }
    }
    return 0;
}
