/* SPDX-License-Identifier: Apache-2.0 */
/* A reduction in a tree: one thread has not come. */
#include "waits.h"

int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp for reduction(+ : sum) schedule(static, 1)
        for (int i = 0; i < 3; i++) {
            sum += i;
            if (i == 2)
                waits_lead(2);
            waits_record("reduction", NULL, NULL, 0);
        }
    }
    return sum;
}
