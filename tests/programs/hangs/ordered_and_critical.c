/* SPDX-License-Identifier: Apache-2.0 */
/* An iteration is in a critical and waits for its turn; the one before it wants the critical. */
#include "hangs.h"

static void in_turn(int i) { /* gcc: here */
#pragma omp ordered          /* expect: deadlock */
    work(i);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 2; i++) {
            if (i == 1) {
#pragma omp critical(gate)
                {
                    meet(2);
                    in_turn(i);
                }
            } else {
                meet(2);
#pragma omp critical(gate) /* expect: deadlock */ /* says: gate */
                work(i);
                in_turn(i);
            }
        }
    }
    return 0;
}
