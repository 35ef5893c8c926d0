/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that clang hands over to a construct's body by value, as the number of their bits. */
#include <stdbool.h>

__attribute__((noinline)) static void handed_over_stop(void)
{
    __asm__ volatile("");
}

int main(void)
{
    double real = 2.5;
    float narrow = 1.5f;
    bool is_one = true;
    short small = -3;
    int below = -7;
#pragma omp parallel num_threads(2) firstprivate(real, narrow, is_one, small, below)
    {
        real += narrow + is_one + small + below;
        handed_over_stop();
    }
    return 0;
}
