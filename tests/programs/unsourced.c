/* SPDX-License-Identifier: Apache-2.0 */
/* Constructs in functions that are known by their symbols, or by nothing: three rounds of each. */

static volatile int done[10];

static __attribute__((noinline)) void work(int i) {
#pragma omp atomic
    done[i]++;
}

__attribute__((noinline)) void share(int n) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
        work(i);
    }
}

__attribute__((noinline)) void twice(int n) {
#pragma omp parallel num_threads(2)
    work(n);
#pragma omp parallel if (n < 0)
    work(n);
}

/* The call is the last thing that it does: optimised, it is a jump. */
__attribute__((noinline)) void jump(void) {
#pragma omp parallel num_threads(2)
    work(1);
}

/* More instructions than anybody steps through. */
__attribute__((noinline)) void endure(void) {
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 20000000; i++)
        __asm__ volatile("");
}

int main(void) {
    for (int round = 0; round < 3; round++) {
        twice(round);
        jump();
        share(5);
    }
    endure();
    return done[9];
}
