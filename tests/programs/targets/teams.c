/* SPDX-License-Identifier: Apache-2.0 */
/* A combined construct: a league whose teams execute a loop. */
#include "targets.h"

enum { SIZE = 6 };

int main(void) {
    int values[SIZE] = {0};
    int line = __LINE__ + 1;
#pragma omp target teams distribute parallel for map(tofrom : values) num_teams(1) thread_limit(2)
    for (int i = 0; i < SIZE; i++) {
        HERE(line);
        values[i] = i;
    }
    return values[SIZE - 1] - SIZE + 1;
}
