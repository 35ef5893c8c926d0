/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and variables that devices have. */
#include "targets.h"

#pragma omp declare target
int calls;  // not static: newer clangs cannot update one from a device

__attribute__((noinline)) static void count(int line) {
    HERE(line);
    calls++;
}
#pragma omp end declare target

int main(void) {
#pragma omp target
    {
        count(__LINE__ - 2);
        count(__LINE__ - 3);
    }
#pragma omp target update from(calls)
    return calls - 2;
}
