// SPDX-License-Identifier: Apache-2.0
// A serialized region in an undeferred task of another one. Without OMPT LLVM's runtime keeps
// nothing of the task that meets the inner one.
__attribute__((noinline)) void stop_here(void) { __asm__ volatile("" ::: "memory"); }

int main(void) {
#pragma omp parallel if (0)
#pragma omp task if (0)
#pragma omp parallel num_threads(1)
    stop_here();
    return 0;
}
