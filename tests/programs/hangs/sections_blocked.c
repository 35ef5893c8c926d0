/* SPDX-License-Identifier: Apache-2.0 */
/* One section waits for a condition that nobody signals. */
#include "hangs.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stays;

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
#pragma omp sections
        {
#pragma omp section
            work(1);
#pragma omp section
            {
                pthread_mutex_lock(&mutex);
                while (stays == 0)
                    pthread_cond_wait(&changed, &mutex); /* expect: deadlock */
                pthread_mutex_unlock(&mutex);
            }
        }
    }
    return 0;
}
