/* SPDX-License-Identifier: Apache-2.0 */
/* Data that are mapped by the region itself, also in a function that is called twice. */
#include "targets.h"

enum { SIZE = 64 };

__attribute__((noinline)) static int sum(int *values) {
    int found = 0;
#pragma omp target map(to : values[0 : SIZE]) map(tofrom : found)
    {
        HERE(__LINE__ - 2);
        for (int i = 0; i < SIZE; i++) {
            found += values[i];
        }
    }
    return found;
}

int main(void) {
    int values[SIZE];
    for (int i = 0; i < SIZE; i++) {
        values[i] = i;
    }
    int before = sum(values);
#pragma omp target map(tofrom : values)
    {
        values[0] = 1;
        HERE(__LINE__ - 3);
        values[1]++;
    }
    return sum(values) - before - 2;
}
