/* SPDX-License-Identifier: Apache-2.0 */
/* A team waits at a barrier for a thread that spins in a target region for what nobody sets. */
#include <omp.h>
#include <stdio.h>

static volatile int go;

int main(void) {
    int x = 0;
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1) {
            puts("ready");
            fflush(stdout);
#pragma omp target map(tofrom : x, go)
            {
                while (!go)
                    ;
                x = 1;
            }
        }
#pragma omp barrier
    }
    return x;
}
