/* SPDX-License-Identifier: Apache-2.0 */
/* A stripped library with regions of its own, in which all threads but the last sleep. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 3 };

static _Atomic int sleepers[THREADS - 1]; /* their thread ids */

__attribute__((noinline)) void all_there(void) { __asm__ volatile(""); }

static int sleeps(int thread) {
    char name[64], state = 0;
    snprintf(name, sizeof name, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(name, "r");
    if (file == NULL || fscanf(file, "%*d (%*[^)]) %c", &state) != 1) {
        state = 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return state == 'S';
}

__attribute__((noinline)) static void inside(int number) {
    if (number < THREADS - 1) {
        sleepers[number] = gettid();
        for (;;) {
            pause();
        }
    }
    for (int i = 0; i < THREADS - 1; i++) {
        while (sleepers[i] == 0 || !sleeps(sleepers[i])) {
        }
    }
    all_there();
    __asm__ volatile("");
}

__attribute__((noinline)) static void begin(void) {
#pragma omp parallel num_threads(THREADS)
    {
        inside(omp_get_thread_num());
        __asm__ volatile("");
    }
    __asm__ volatile("");
}

void gather(void) {
    begin();
    __asm__ volatile("");
}
