/* SPDX-License-Identifier: Apache-2.0 */
/* A signal's handler begins a region. Optimized it does so with a jump, and leaves no frame. */
#include "hangs.h"

#include <signal.h>

static int input[2];

static void region(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            char one;
            work((int)read(input[0], &one, 1)); /* expect: waiting */
        }
    }
}

static void handle(int number) {
    (void)number;
    region();
}

int main(void) {
    if (pipe(input) != 0)
        return 1;
    ready();
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    work(1);
    return 0;
}
