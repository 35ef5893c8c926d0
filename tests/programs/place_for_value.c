// SPDX-License-Identifier: Apache-2.0
// At -O2 clang keeps `sum`, converted from an int and to a double, on the stack at own(2).
#include <omp.h>

#define ALL "memory", "rbx", "rbp", "r12", "r13", "r14", "r15"

int count = 2;

__attribute__((noinline)) int own(int number) {
    __asm__ volatile("" : "+r"(number));
    return number;
}
__attribute__((noinline)) void hold(long value, int order) {
    __asm__ volatile("" : : "r"(value), "r"(order) : ALL);
}
__attribute__((noinline)) void note(double value, int order) {
    __asm__ volatile("" : : "x"(value), "r"(order) : ALL);
}

int main(void) {
    long sum = 0;
#pragma omp parallel num_threads(2)
    {
        int more = own(7), again = own(58);
#pragma omp for schedule(static, 1) lastprivate(sum)
        for (int i = 0; i < count; i++) {
            sum = own(i) * 3 + 18;
            const int twice = own(2) + again;
            __asm__ volatile("" : : : ALL);
            hold(1, more);
            hold(2, twice);
            note((double)sum, 1);
            note((double)sum, 2);
        }
        hold(3, again);
    }
    return sum != 21;
}
