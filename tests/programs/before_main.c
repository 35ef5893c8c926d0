// SPDX-License-Identifier: Apache-2.0
// A library whose constructor has a region: the dynamic linker calls it, before main() begins.

volatile int prepared;

static void work(int i) {
#pragma omp atomic
    prepared += i;
}

__attribute__((constructor)) static void prepare(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
        work(1);
    }
}
