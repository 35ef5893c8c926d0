// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

static int table[2];

__attribute__((noinline)) static void about_to_wait(void) { __asm__ volatile(""); }

void update_in_team(void) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        about_to_wait();
#pragma omp critical(table)
        table[0]++;
    }
}

void with_table(void (*call)(void)) {
#pragma omp critical(table)
    {
        call();
        table[1]++;
    }
}
