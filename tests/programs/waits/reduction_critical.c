/* SPDX-License-Identifier: Apache-2.0 */
/* A reduction one thread at a time: the first stays in it. */
#include "waits.h"

static atomic_int inside;

static __attribute__((noinline)) void join(int *to, const int *from) {
    if (!atomic_exchange(&inside, 1)) {
        READY();
        waits_lead(2);
    }
    *to += *from;
}

#pragma omp declare reduction(slow:int : join(&omp_out, &omp_in)) initializer(omp_priv = 0)

int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp for reduction(slow : sum) schedule(static, 1)
        for (int i = 0; i < 3; i++) {
            sum += i;
            if (i != 0) {
                AWAIT_READY();
                waits_record("reduction", NULL, NULL, 0);
            }
        }
    }
    return sum;
}
