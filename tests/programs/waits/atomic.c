/* SPDX-License-Identifier: Apache-2.0 */
/* An atomic that the runtime guards by its own lock. */
#include "waits.h"

/* What compilers call for an atomic that the machine has no instruction for. */
#ifdef __clang__
#define ATOMIC_START __kmpc_atomic_start
#define ATOMIC_END __kmpc_atomic_end
#else
#define ATOMIC_START GOMP_atomic_start
#define ATOMIC_END GOMP_atomic_end
#endif
extern void ATOMIC_START(void);
extern void ATOMIC_END(void);

int main(void) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1) {
            ATOMIC_START();
            READY();
            waits_lead(2);
        }
        AWAIT_READY();
        WAIT("atomic", NULL, NULL, 1);
        ATOMIC_START();
        ATOMIC_END();
    }
    return 0;
}
