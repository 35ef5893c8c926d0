/* SPDX-License-Identifier: Apache-2.0 */
/* A library without OpenMP that is stripped: what calls it waits, works or crashes in it. */
#include <unistd.h>

enum { WAITS, WORKS, CRASHES };

_Atomic int library_inside;

__attribute__((noinline)) static void inside(int what, volatile int *where) {
    library_inside++;
    while (what == WAITS) {
        usleep(100000);
    }
    while (what == WORKS) {
        __asm__ volatile("");
    }
    *where = what;
}

void call_library(int what, volatile int *where) {
    inside(what, where);
    __asm__ volatile("");
}
