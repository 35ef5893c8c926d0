/* SPDX-License-Identifier: Apache-2.0 */
/* Many small parallel regions: many COUNT. */
#include <omp.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const int count = argc > 1 ? atoi(argv[1]) : 1;
    int sum = 0;
    for (int i = 0; i < count; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum += i & 1;
    }
    return sum < 0;
}
