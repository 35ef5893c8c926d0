/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread comes to a SIGSEGV: overflow THREAD HOW, with HOW "deep" (calls), "wide" (one
 * large frame), "null" (a null pointer), "forbidden" (a page without access), or "own" (the
 * guard page of a stack that the program has made for itself).
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGE = 4096, OWN = 16 * PAGE, LARGE = 64 << 20 };

static volatile int sink;

static __attribute__((noinline)) int deep(int n) {
    volatile char frame[1000];
    frame[n % 1000] = (char)n;
    if (n == LARGE)
        return 0;
    const int below = deep(n + 1);
    return below + frame[n % 1000];
}

static __attribute__((noinline)) int wide(int n) {
    volatile char frame[LARGE];
    for (int i = LARGE - PAGE; i >= 0; i -= PAGE)
        frame[i] = (char)n;
    return frame[n];
}

static void deep_on_own_stack(void) { sink = deep(0); }

/* Below OWN bytes of stack is a page that cannot be used. */
static void own(void) {
    static ucontext_t here, there;
    char *stack = mmap(NULL, PAGE + OWN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack + PAGE, OWN, PROT_READ | PROT_WRITE) != 0)
        abort();
    getcontext(&there);
    there.uc_stack.ss_sp = stack + PAGE;
    there.uc_stack.ss_size = OWN;
    there.uc_link = &here;
    makecontext(&there, deep_on_own_stack, 0);
    swapcontext(&here, &there);
}

static void forbidden(void) {
    char *page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *page = 1;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    const int thread = atoi(argv[1]);
    const char *how = argv[2];
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        if (omp_get_thread_num() == thread) {
            if (strcmp(how, "deep") == 0)
                sink = deep(0);
            else if (strcmp(how, "wide") == 0)
                sink = wide(5);
            else if (strcmp(how, "own") == 0)
                own();
            else if (strcmp(how, "forbidden") == 0)
                forbidden();
            else
                *(volatile int *)NULL = 1;
        }
#pragma omp barrier
    }
    return 0;
}
