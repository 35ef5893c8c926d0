// SPDX-License-Identifier: Apache-2.0
// A process that was forked off begins a region. GCC's runtime waits for the threads of the last
// one to come to where they wait for work: only the first process has them.
#include <omp.h>
#include <unistd.h>

__attribute__((noinline)) static void all_but_one_have_come(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void has_forked(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void a_second_later(void) { __asm__ volatile(""); }

static void region(int team_size, int wait) {
#pragma omp parallel num_threads(team_size)
    if (omp_get_thread_num() == 0 && wait) {
        usleep(300000);
        all_but_one_have_come();
    }
}

int main(void) {
    region(4, 1);
    const pid_t child = fork();
    has_forked();
    if (child == 0) {
        region(3, 0);
        _exit(0);
    }
    sleep(1);
    a_second_later();
    return 0;
}
