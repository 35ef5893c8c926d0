/* SPDX-License-Identifier: Apache-2.0 */
/* Two tasks that end with a blocking call, which waits for a third: optimised, they jump there and
   leave no frame. Two threads execute them, from inside a barrier and at a taskgroup's end. */
#include "hangs.h"

static pthread_barrier_t three;

static void rest(void) {
    pthread_barrier_wait(&three); /* expect: deadlock */
}

int main(void) {
    pthread_barrier_init(&three, NULL, 3);
    ready();
#pragma omp parallel num_threads(3)
#pragma omp single nowait
#pragma omp taskgroup
    for (int i = 0; i < 2; i++) {
#pragma omp task untied
        rest();
    }
    return 0;
}
