/* SPDX-License-Identifier: Apache-2.0 */
/* A list of locks, each taken before the last is let go. */
#include "../hangs.h"

enum { LENGTH = 5 };
static omp_lock_t chain[LENGTH];

int main(void) {
    for (int i = 0; i < LENGTH; i++)
        omp_init_lock(&chain[i]);
    ready();
#pragma omp parallel num_threads(4)
    {
        for (;;) {
            omp_set_lock(&chain[0]);
            for (int i = 1; i < LENGTH; i++) {
                omp_set_lock(&chain[i]);
                work(1);
                omp_unset_lock(&chain[i - 1]);
            }
            omp_unset_lock(&chain[LENGTH - 1]);
        }
    }
    return 0;
}
