// SPDX-License-Identifier: Apache-2.0
// GCC's body reaches "common" through a pointer that is in a register.
int *its_memory[2];
int omp_get_thread_num(void);
__attribute__((noinline)) void record(int *memory) { its_memory[omp_get_thread_num()] = memory; }
__attribute__((noinline)) void stop(int seen) { __asm__ volatile("" : : "r"(seen) : "memory"); }
int main(int argc, char **argv) {
    (void)argv;
    int common = argc;
#pragma omp parallel shared(common) num_threads(2)
    {
        record(&common);
        stop(common);
#pragma omp atomic
        common += 1;
        stop(common);
        record(&common);
    }
    return common;
}
