/* SPDX-License-Identifier: Apache-2.0 */
/* Two blocks that end with the same code, which GCC keeps once, and have a variable of one name. */
#include "record.h"

#include <omp.h>

static int everybody = 8;

int main(int argc, char **argv)
{
    int base = argc;

    everybody += argc;

    (void)argv;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(3) firstprivate(base)
    {
#pragma omp sections
        {
#pragma omp section
            {
                base += 20;
                NOTE(base);
                NOTE(everybody);
                HOLD();
                __asm__ volatile("" : : "r"(&base));
            }
#pragma omp section
            {
                int one = base * 2;
                NOTE(one);
                NOTE(base);
                NOTE(everybody);
                HOLD();
                __asm__ volatile("" : : "r"(&one), "r"(&base));
            }
#pragma omp section
            {
                double one = base * .5;
                NOTE(one);
                NOTE(base);
                NOTE(everybody);
                HOLD();
                __asm__ volatile("" : : "r"(&one), "r"(&base));
            }
        }
    }
#pragma omp parallel sections num_threads(2) firstprivate(base)
    {
#pragma omp section
        {
            int half = base + 1;
            NOTE(half);
            NOTE(base);
            HOLD();
            __asm__ volatile("" : : "r"(&half), "r"(&base));
        }
#pragma omp section
        {
            double half = base + 3.5;
            base += 3;
            NOTE(half);
            NOTE(base);
            HOLD();
            __asm__ volatile("" : : "r"(&half), "r"(&base));
        }
    }
    return 0;
}
