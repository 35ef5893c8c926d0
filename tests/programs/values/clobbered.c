/* SPDX-License-Identifier: Apache-2.0 */
/* A variable in a register that a function of the same file may change: at changed_not nothing has
   changed it, at changed it has another value, and at changed_further a function that is called has
   one. */

__attribute__((noinline)) static void change(void) {
    __asm__ volatile("mov $1, %%edi" : : : "rdi");
}

__attribute__((noinline)) static void in_itself(void) {
    __asm__ volatile(".globl changed_not\nchanged_not: nop" : : : "memory");
    __asm__ volatile("mov $2, %%edi\n.globl changed\nchanged: nop" : : : "rdi", "memory");
}

__attribute__((noinline)) static void by_a_call(void) {
    change();
    __asm__ volatile(".globl changed_further\nchanged_further: nop" : : : "memory");
    change();
}

__attribute__((noinline, noclone)) static void outer(long given) {
    register long own __asm__("rdi") = 7 * given;
    __asm__ volatile("" : "+r"(own));
    in_itself();
    __asm__ volatile("" : : : "memory");
}

__attribute__((noinline, noclone)) static void other(long given) {
    register long own __asm__("rdi") = 7 * given;
    __asm__ volatile("" : "+r"(own));
    by_a_call();
    __asm__ volatile("" : : : "memory");
}

int main(int argc, char **argv) {
    (void)argv;
#pragma omp parallel num_threads(1)
    {
        outer(argc + 1);
        other(argc + 1);
    }
    return 0;
}
