/* SPDX-License-Identifier: Apache-2.0 */
/* A target task depends on a task that waits for a lock of who waits for the target task. */
#include <omp.h>
#include <stdio.h>

static omp_lock_t account;
static volatile int begun;

int main(void) {
    int x = 0;
    omp_init_lock(&account);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_set_lock(&account);
#pragma omp task depend(out : x) shared(x)
        {
            begun = 1;
            omp_set_lock(&account);
            x = 1;
            omp_unset_lock(&account);
        }
        while (!begun) // another thread executes it
            ;
#pragma omp target nowait depend(in : x) map(tofrom : x)
        x++;
        puts("ready");
        fflush(stdout);
#pragma omp taskwait
        omp_unset_lock(&account);
    }
    return x;
}
