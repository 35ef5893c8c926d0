/* SPDX-License-Identifier: Apache-2.0 */
/* A task waits for its target task, which sets a lock of who waits at the barrier for both. */
#include <omp.h>
#include <stdio.h>

#pragma omp declare target
static omp_lock_t account;
#pragma omp end declare target

int main(void) {
    int x = 0;
    omp_init_lock(&account);
#pragma omp parallel num_threads(2) shared(x)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&account);
            puts("ready");
            fflush(stdout);
        }
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
#pragma omp target nowait map(tofrom : x)
            {
                omp_set_lock(&account);
                x++;
                omp_unset_lock(&account);
            }
#pragma omp taskwait
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            omp_unset_lock(&account);
    }
    return x;
}
