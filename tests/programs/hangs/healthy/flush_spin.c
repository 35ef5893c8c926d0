/* SPDX-License-Identifier: Apache-2.0 */
/* One thread makes something, another takes it; both look at a flag until it is there. */
#include "../hangs.h"

static int full;

static int is_full(void) {
    int now;
#pragma omp flush
#pragma omp atomic read
    now = full;
    return now;
}

static void set_full(int now) {
#pragma omp flush
#pragma omp atomic write
    full = now;
    (void)now; /* for GCC an atomic write of it is no use */
}

int main(void) {
    ready();
#pragma omp parallel num_threads(3)
    {
        const int number = omp_get_thread_num();
        for (;;) {
            if (number == 2)
                break; /* waits for the two at the end of the region */
            while (is_full() != number)
                sched_yield();
            work(50);
            set_full(!number);
        }
    }
    return 0;
}
