// SPDX-License-Identifier: Apache-2.0
// While stop() is called, before anybody knows where "given" is, clang goes by the register that
// has its value, and saves that beside it.
float *its_memory[2];
int omp_get_thread_num(void);

__attribute__((noinline)) float own(void) {
    __asm__ volatile("" : : : "memory");
    return (float)omp_get_thread_num();
}

float half[2];

__attribute__((noinline)) void record(float *memory, float value) {
    its_memory[omp_get_thread_num()] = memory;
    half[omp_get_thread_num()] = value / 2;
}

__attribute__((noinline)) void stop(void) { __asm__ volatile("" : : : "memory"); }

int main(int argc, char **argv) {
    (void)argv;
    float given = (float)argc / 2;
#pragma omp parallel firstprivate(given) num_threads(2)
    {
        given += own();
        stop();
        record(&given, given);
        stop();
        __asm__ volatile("" : : "r"(&given) : "memory");
    }
    return 0;
}
