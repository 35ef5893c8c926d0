/* SPDX-License-Identifier: Apache-2.0 */
/* A function that begins a region and calls itself in it: the first thread of the outer team
   has two frames of the region's body, one for each team that it is in. */
#include "record.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int inside, passed;

static void divide(int depth)
{
#pragma omp parallel num_threads(2)
    {
        int value = depth * 100 + omp_get_thread_num();
        if (depth == 2) {
            atomic_fetch_add(&inside, 1);
            while (!atomic_load(&passed))
                sched_yield();
        } else if (omp_get_thread_num() == 0) {
            divide(2);
        } else {
            while (atomic_load(&inside) < 2)
                sched_yield();
            values_stop();
            atomic_store(&passed, 1);
        }
        __asm__ volatile("" : : "r"(&value));
    }
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    divide(1);
    return 0;
}
