/* SPDX-License-Identifier: Apache-2.0 */
/* Two criticals, entered in both orders: each by a call of its own, which GCC would make one of. */
#include "hangs.h"

static __attribute__((noinline)) void in_gate(void) {
#pragma omp critical(gate) /* expect: deadlock */ /* says: gate */
    work(1);
}

static __attribute__((noinline)) void in_ledger(void) {
#pragma omp critical(ledger) /* expect: deadlock */ /* says: ledger */
    work(1);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(gate)
            {
                meet(2);
                in_ledger();
            }
        } else {
#pragma omp critical(ledger)
            {
                meet(2);
                in_gate();
            }
        }
    }
    return 0;
}
