/* SPDX-License-Identifier: Apache-2.0 */
/* An atomic that the runtime guards by its own lock. */
#include "waits.h"

/* What compilers call for an atomic that the machine has no instruction for. */
extern void __kmpc_atomic_start(void);
extern void __kmpc_atomic_end(void);

int main(void) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1) {
            __kmpc_atomic_start();
            READY();
            waits_lead(2);
        }
        AWAIT_READY();
        WAIT("atomic", NULL, NULL, 1);
        __kmpc_atomic_start();
        __kmpc_atomic_end();
    }
    return 0;
}
