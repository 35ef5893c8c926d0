/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that is stripped: of its functions only those that it exports keep names. Each thread of
 * the team is in one of two functions of its own, at any instruction.
 */
#include <omp.h>

enum { THREADS = 4 };

static volatile int waiting = THREADS - 1;

__attribute__((noinline)) void all_there(void) { __asm__ volatile(""); }

__attribute__((noinline)) static void count_up(int number) {
    for (;;) {
        __asm__ volatile("" : "+r"(number));
        number++;
    }
}

__attribute__((noinline)) static void count_down(int number) {
    for (;;) {
        __asm__ volatile("" : "+r"(number));
        number--;
    }
}

__attribute__((noinline)) static void work(int number) {
    if (number == 0) {
        while (waiting != 0) {
        }
        all_there();
    }
    __atomic_sub_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
    if (number < THREADS - 1) {
        count_up(number);
    } else {
        count_down(number);
    }
    __asm__ volatile("");
}

void begin_work(void) {
#pragma omp parallel num_threads(THREADS)
    {
        work(omp_get_thread_num());
        __asm__ volatile("");
    }
}
