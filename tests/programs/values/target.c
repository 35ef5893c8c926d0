/* SPDX-License-Identifier: Apache-2.0 */
/* A target region, which is executed by the thread that meets it. */
#include "record.h"

int main(int argc, char **argv)
{
    int scalar = argc * 30, mapped = argc * 8;

    (void)argv;
#pragma omp target map(tofrom : mapped) firstprivate(scalar)
    {
        int inside = scalar + 1;
        scalar += 1;
        mapped += inside;
        HOLD();
        __asm__ volatile("" : : "r"(&scalar), "r"(&mapped), "r"(&inside) : "memory");
    }
    return 0;
}
