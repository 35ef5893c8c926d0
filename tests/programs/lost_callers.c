// SPDX-License-Identifier: Apache-2.0
// A function without unwind information is called many times through a register. It moves its
// stack pointer by a number that is kept nowhere: the code does not show who has called it. The
// program ends with SIGSEGV.
__attribute__((noinline)) void stop(void) {
    __asm__ volatile("");
}

__asm__(".text\n"
        "lost:\n"
        "    sub %rdi, %rsp\n"
        "    mov $3, %ebp\n"
        "    imul $40, %rsi, %rdi\n"
        "    and $-16, %rdi\n"
        "    lea lost(%rip), %rax\n"
        "    dec %rsi\n"
        "    jnz 1f\n"
        "    lea stop(%rip), %rax\n"
        "1:  push %rbp\n"
        "    call *%rax\n"
        "    hlt\n"
        ".globl lose\n"
        "lose:\n"
        "    lea lost(%rip), %rax\n"
        "    push %rbp\n"
        "    call *%rax\n"
        "    hlt\n");

void lose(long bytes, long calls);

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp critical
    lose(64, 60);
}
