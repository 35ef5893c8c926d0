/* SPDX-License-Identifier: Apache-2.0 */
/* Who begins the region has let the lock go before. Optimized, clang keeps the lock's address in a
   slot that it finds by the stack pointer, and moves that to pass what the region captures. */
#include "../hangs.h"

#ifdef __OPTIMIZE__
#define REGISTERS "rbx", "rbp", "r12", "r13", "r14", "r15", "memory"
#else
#define REGISTERS "memory"
#endif

static omp_lock_t taken;

static void *take(void *lock) {
    omp_set_lock(lock);
    return NULL;
}

__attribute__((noinline)) static void begin(long a, long b, long c, long d, long e, long f) {
    pthread_t other;
    omp_lock_t *lock = &taken;
    __asm__ volatile("" : "+r"(lock)); /* to be kept, and not made again */
    omp_set_lock(lock);
    __asm__ volatile("" : : : REGISTERS);
    omp_unset_lock(lock);
    pthread_create(&other, NULL, take, &taken);
    pthread_join(other, NULL);
#pragma omp parallel num_threads(2) firstprivate(a, b, c, d, e, f)
    {
        if (omp_get_thread_num() == 1 && a + b + c + d + e + f > 0)
            omp_set_lock(&taken);
#pragma omp barrier
    }
}

int main(void) {
    omp_init_lock(&taken);
    ready();
    begin(1, 2, 3, 4, 5, 6);
    return 0;
}
