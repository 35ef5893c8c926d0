/* SPDX-License-Identifier: Apache-2.0 */
/* A region's first instruction is of a function that was inlined: what called the region's comes
   behind a frame that has called nothing. */
static volatile int gone;

static inline __attribute__((always_inline)) void leave(void) { gone++; }

int main(void) {
#pragma omp parallel num_threads(2)
    leave();
    return 0;
}
