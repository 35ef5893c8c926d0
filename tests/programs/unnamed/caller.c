/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a team that are in a library: the last crashes when the others are there. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 3 };

extern _Atomic int library_inside;
void call_library(int what, volatile int *where);

static _Atomic int waiter; /* its thread id */

/* Whether the thread that waits sleeps by now. */
static int sleeps(void) {
    char name[64], state = 0;
    snprintf(name, sizeof name, "/proc/self/task/%d/stat", waiter);
    FILE *file = fopen(name, "r");
    if (file == NULL || fscanf(file, "%*d (%*[^)]) %c", &state) != 1) {
        state = 0;
    }
    fclose(file);
    return state == 'S';
}

__attribute__((noinline)) static void call(int what) {
    if (what == 0) {
        waiter = gettid();
    }
    while (what == THREADS - 1 && (library_inside < THREADS - 1 || !sleeps())) {
    }
    call_library(what, (volatile int *)8);
    __asm__ volatile("");
}

int main(void) {
#pragma omp parallel num_threads(THREADS)
    {
        call(omp_get_thread_num());
        __asm__ volatile("");
    }
    return 0;
}
