/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier of the system's, for one more than there are. */
#include "hangs.h"

static pthread_barrier_t all;

int main(void) {
    pthread_barrier_init(&all, NULL, 4);
    ready();
#pragma omp parallel num_threads(3)
    {
        pthread_barrier_wait(&all); /* expect: deadlock */ /* says: pthread_barrier_wait */
        work(1);
    }
    return 0;
}
