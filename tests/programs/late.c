/* SPDX-License-Identifier: Apache-2.0 */
/* A region whose worker is told to go on once its primary thread waits for it. */
#include <omp.h>
#include <unistd.h>

static volatile int go;

static void stay(void) {
    while (!go)
        usleep(1000);
}

static void region(void) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        stay();
}

int main(void) {
    region();
    return 0;
}
