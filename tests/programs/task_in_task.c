/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that are executed inside of each other, each in the taskwait of the one that created
 * it, by a team of one thread. */
__attribute__((noinline)) void innermost(int depth) { __asm__ volatile("" ::"r"(depth)); }

static void deeper(int depth) {
    if (depth == 4) {
        innermost(depth);
        return;
    }
#pragma omp task firstprivate(depth)
    deeper(depth + 1);
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel num_threads(1)
    deeper(0);
    return 0;
}
