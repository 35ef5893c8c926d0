/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a team are in two functions, one of which the others have no frame of. record.c has
   static variables of these names, too. */
#include "record.h"

#include <omp.h>

static double passed = 4.5;
static int held;
#pragma omp threadprivate(held)

__attribute__((noinline)) static void first(void)
{
    NOTE(passed);
    NOTE(held);
    HOLD();
}

__attribute__((noinline)) static void others(void)
{
    NOTE(passed);
    NOTE(held);
    HOLD();
}

int main(void)
{
    omp_set_dynamic(0);
#pragma omp parallel num_threads(3)
    {
        held = omp_get_thread_num() + 10;
        if (omp_get_thread_num() == 0)
            first();
        else
            others();
    }
    return 0;
}
