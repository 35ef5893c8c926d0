// SPDX-License-Identifier: Apache-2.0
// "result" is only handed to what changes its register. Without variable tracking GCC describes it by
// that up to the end of its block, so also when stop() is called, which leaves registers as they are.
int omp_get_thread_num(void);

__attribute__((noinline, noipa)) int computed(int of) {
    __asm__ volatile("" : : : "memory");
    return of + 14;
}

__attribute__((noinline, noipa)) void use(int first, int second, int third, int fourth) {
    __asm__ volatile("mov $1, %%ecx" : : "r"(first), "r"(second), "r"(third), "r"(fourth) : "rcx");
}

__attribute__((noinline, naked)) void stop(void) { __asm__ volatile("ret"); }

int main(void) {
#pragma omp parallel num_threads(1)
    {
        int own = omp_get_thread_num();
        int result = computed(own);
        use(own, 2, 3, result);
        stop();
        use(own, 2, 3, 4);
    }
    return 0;
}
