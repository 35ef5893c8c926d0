/* SPDX-License-Identifier: Apache-2.0 */
/* Three threads spin on locks that the fourth has: one of the system's, a flag that is set again
 * and again, and a word that is compared and exchanged. */
#include "hangs.h"

static pthread_spinlock_t spin; /* says: spins on "spin" */
static int flag;                /* says: spins on "flag" */

int main(void) {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    flag = 1;
    ready();
#pragma omp parallel num_threads(3)
    {
        const int member = omp_get_thread_num();
        if (member == 0)
            pthread_spin_lock(&spin);
        while (member == 1 && __atomic_exchange_n(&flag, 1, __ATOMIC_ACQUIRE))
            ;
        if (member == 2)
            pause(); /* expect: waiting */
        pthread_spin_unlock(&spin);
    }
    return 0;
}
