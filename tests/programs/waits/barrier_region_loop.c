/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a combined parallel loop. */
#include "waits.h"

int main(void) {
#pragma omp parallel for num_threads(3) schedule(static, 1)
    for (int i = 0; i < 3; i++) {
        if (i == 0)
            waits_lead(2);
        waits_record("end-of-region barrier", NULL, NULL, 0);
    }
    return 0;
}
