/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads of the program's own have a team each; locks cross from one to the other. */
#include "hangs.h"

static omp_lock_t first, second;

static __attribute__((noinline)) void forth(void) {
    omp_set_lock(&first);
    meet(2);
    omp_set_lock(&second); /* expect: deadlock */ /* says: "second" */
    omp_unset_lock(&second);
    omp_unset_lock(&first);
}

static __attribute__((noinline)) void back(void) {
    omp_set_lock(&second);
    meet(2);
    omp_set_lock(&first); /* expect: deadlock */ /* says: "first" */
    omp_unset_lock(&first);
    omp_unset_lock(&second);
}

static void *another(void *nothing) {
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        back();
    }
    return nothing;
}

int main(void) {
    pthread_t thread;
    omp_init_lock(&first);
    omp_init_lock(&second);
    pthread_create(&thread, NULL, another, NULL);
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        forth();
    }
    return 0;
}
