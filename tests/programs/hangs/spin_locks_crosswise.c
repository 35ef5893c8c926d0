/* SPDX-License-Identifier: Apache-2.0 */
/* Each of two threads has a spin lock and spins for the other's: one by a call that asks again and
 * again by itself, one in a loop of the program's. */
#include "hangs.h"

static pthread_spinlock_t left, right;

int main(void) {
    pthread_spin_init(&left, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&right, PTHREAD_PROCESS_PRIVATE);
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            pthread_spin_lock(&left);
            meet(2);
            pthread_spin_lock(&right); /* expect: deadlock */ /* says: spin lock "right" */
        } else {
            pthread_spin_lock(&right);
            meet(2);
            while (pthread_spin_trylock(&left)) /* expect: deadlock */ /* says: spin lock "left" */
                ;
        }
        pthread_spin_unlock(&left);
        pthread_spin_unlock(&right);
    }
    return 0;
}
