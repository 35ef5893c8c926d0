// SPDX-License-Identifier: Apache-2.0
// Each thread of a region works in a function written in assembly that has no unwind information.
// It uses its registers as kernels of linear algebra do: it keeps the frame pointer for itself,
// aligns its stack, and remembers in another register, or on the stack, where that was.
#include <omp.h>
#include <stdio.h>

enum { threads = 4 };
volatile int turns[threads];
volatile int is_open;

__attribute__((noinline)) void all_there(void) {
    __asm__ volatile("");
}

void wait_outside(int thread) {
    turns[thread] = 1;
    if (thread == 0) {
        for (int other = 1; other < threads; other++) {
            while (turns[other] == 0) {
            }
        }
        all_there();
        is_open = 1;
    }
    while (!is_open) {
    }
}

__asm__(".text\n"
        ".globl kernel\n"
        ".type kernel, @function\n"
        "kernel:\n"
        "    push %rbp\n"
        "    push %rbx\n"
        "    sub $72, %rsp\n"
        "    mov %r12, 8(%rsp)\n"
        "    mov %r13, 16(%rsp)\n"
        "    mov %rsp, %rbx\n"
        "    sub $4096, %rsp\n"
        "    and $-4096, %rsp\n"
        "    mov %rdi, %r12\n"
        "    mov $3, %ebp\n"
        "    xor %r13d, %r13d\n"
        "1:  add %rbp, %r13\n"
        "    mov %r13, (%rsp,%rbp,8)\n"
        "    dec %rbp\n"
        "    jnz 1b\n"
        "    mov %r12, %rdi\n"
        "    call wait_outside\n"
        "    mov %r13, %rax\n"
        "    mov %rbx, %rsp\n"
        "    mov 8(%rsp), %r12\n"
        "    mov 16(%rsp), %r13\n"
        "    add $72, %rsp\n"
        "    pop %rbx\n"
        "    pop %rbp\n"
        "    ret\n"
        ".size kernel, .-kernel\n"
        ".globl aligned\n"
        "aligned:\n"
        "    mov %rsp, %rax\n"
        "    sub $128, %rsp\n"
        "    and $-64, %rsp\n"
        "    mov %rax, 64(%rsp)\n"
        "    mov %rbp, 56(%rsp)\n"
        "    xor %eax, %eax\n"
        "    xor %ebp, %ebp\n"
        "    call kernel\n"
        "    mov 56(%rsp), %rbp\n"
        "    mov 64(%rsp), %rsp\n"
        "    ret\n");

long kernel(long thread);
long aligned(long thread);

__attribute__((noinline)) long work(int thread) {
    return (thread % 2 ? kernel : aligned)(thread) + 1;
}

int main(void) {
    long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += work(omp_get_thread_num());
    printf("%ld\n", sum);
}
