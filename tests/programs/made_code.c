// SPDX-License-Identifier: Apache-2.0
// Each thread of a region is in code that the program has made in memory, which no file and no
// unwind table describes. That of even threads uses the stack as compilers do. That of odd ones has
// another stack, and keeps where its caller's is in a way that nobody else knows.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { threads = 4, page = 4096 };
typedef void (*Code)(volatile int *turns, void *stack, volatile int *is_open);

volatile int turns[threads];
volatile int is_open;
static char stacks[threads][page] __attribute__((aligned(16)));

// push %rbp; sub $0x88,%rsp; xor %ebp,%ebp; 1: incl (%rdi); cmpl $0,(%rdx); je 1b;
// add $0x88,%rsp; pop %rbp; ret
static const unsigned char usual[] = {0x55, 0x48, 0x81, 0xec, 0x88, 0, 0, 0, 0x31, 0xed,
                                      0xff, 0x07, 0x83, 0x3a, 0x00, 0x74, 0xf9, 0x48, 0x81, 0xc4,
                                      0x88, 0, 0, 0, 0x5d, 0xc3};
// mov %rsp,%rax; not %rax; mov %rsi,%rsp; push %rax; 1: incl (%rdi); cmpl $0,(%rdx); je 1b;
// pop %rax; not %rax; mov %rax,%rsp; ret
static const unsigned char elsewhere[] = {0x48, 0x89, 0xe0, 0x48, 0xf7, 0xd0, 0x48, 0x89, 0xf4,
                                          0x50, 0xff, 0x07, 0x83, 0x3a, 0x00, 0x74, 0xf9, 0x58,
                                          0x48, 0xf7, 0xd0, 0x48, 0x89, 0xc4, 0xc3};

__attribute__((noinline)) void all_there(void) {
    __asm__ volatile("");
}

static void *wait_for_all(void *unused) {
    for (int thread = 0; thread < threads; thread++) {
        while (turns[thread] == 0) {
        }
    }
    all_there();
    is_open = 1;
    return unused;
}

__attribute__((noinline)) int work(Code code, int thread) {
    code(&turns[thread], stacks[thread] + page, &is_open);
    return 1;
}

int main(void) {
    const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
    char *const made = mmap(NULL, page, all, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(made, usual, sizeof usual);
    memcpy(made + page / 2, elsewhere, sizeof elsewhere);
    pthread_t watcher;
    pthread_create(&watcher, NULL, wait_for_all, NULL);
    int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        const int thread = omp_get_thread_num();
        Code code;
        char *const from = made + (thread % 2 ? page / 2 : 0);
        memcpy(&code, &from, sizeof code);
        sum += work(code, thread);
    }
    pthread_join(watcher, NULL);
    printf("%d\n", sum);
}
