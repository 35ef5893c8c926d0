/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that holds a lock waits for a target task which the host executes, and which sets it. */
#include <omp.h>
#include <stdio.h>

static omp_lock_t account;

int main(void) {
    omp_init_lock(&account);
    omp_set_lock(&account);
    puts("ready");
    fflush(stdout);
#pragma omp target nowait
    omp_set_lock(&account);
#pragma omp taskwait
    return 0;
}
