/* SPDX-License-Identifier: Apache-2.0 */
/* A task that waits until the function that generated it has returned: the thread executes it
   from the same function, which was called again. Another file has a static variable "held". */
#include "record.h"

static void make(int value, int waits)
{
    int held = value * 10;
    if (waits) {
#pragma omp taskwait
    } else {
#pragma omp task
        {
            values_stop();
            __asm__ volatile("" : : : "memory");
        }
    }
    __asm__ volatile("" : : "r"(&held) : "memory");
}

int main(void)
{
#pragma omp parallel num_threads(1)
    {
        make(1, 0);
        make(2, 1);
    }
    return 0;
}
