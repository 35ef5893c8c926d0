/* SPDX-License-Identifier: Apache-2.0 */
/* Three threads spin on locks that nobody lets go: one of the system's, a flag that is set again
 * and again, and a word that is compared and exchanged. */
#include "hangs.h"

static pthread_spinlock_t spin; /* says: pthread spin lock "spin" */
static int flag;                /* says: spins on "flag" */
static int word;                /* says: spins on "word" */

/* Optimized it ends with a jump. */
__attribute__((noinline)) static void take(void) { pthread_spin_lock(&spin); }

int main(void) {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    flag = word = 1;
    ready();
#pragma omp parallel num_threads(4)
    {
        const int member = omp_get_thread_num();
        if (member == 0)
            take();
        while (member == 1 && __atomic_exchange_n(&flag, 1, __ATOMIC_ACQUIRE))
            ;
        while (member == 3 && !__sync_bool_compare_and_swap(&word, 0, 1))
            ;
        if (member == 2)
            pause(); /* expect: waiting */
        pthread_spin_unlock(&spin);
    }
    return 0;
}
