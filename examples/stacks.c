/* SPDX-License-Identifier: Apache-2.0 */
/* A sum by two teams of two, which the threads of a team of two have begun. The
   last part of the second half is weighed on a thread that, as the system has it,
   was called by nobody. */
#include "settle.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

static int sum[4];
static atomic_int teams;

static int weigh(int part)
{
    return part * part;
}

static void weigh_half(int half)
{
    /* So that each run has the same threads, in the same order. */
    while (atomic_load(&teams) < half)
        continue;

    #pragma omp parallel num_threads(2)
    {
        const int part = 2 * half + omp_get_thread_num();
        if (omp_get_thread_num() == 1)
            atomic_fetch_add(&teams, 1);
        while (atomic_load(&teams) < 2)
            continue;
        if (part == 3)
            settle(3);
        sum[part] = weigh(part);
        if (part == 1 || part == 2)
            done_working();
    }
    if (half == 0)
        done_working();
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    #pragma omp parallel num_threads(2)
    weigh_half(omp_get_thread_num());
    printf("sum: %d\n", sum[0] + sum[1] + sum[2] + sum[3]);
    return 0;
}
