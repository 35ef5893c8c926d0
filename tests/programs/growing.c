// SPDX-License-Identifier: Apache-2.0
// Teams that grow: LLVM's runtime frees the records of the smaller one's implicit tasks, which
// its workers go on pointing to until the bigger one has been set up.
int main(void) {
    for (int size = 2; size < 12; size += 3) {
#pragma omp parallel num_threads(size)
        __asm__ volatile("");
    }
    return 0;
}
