/* SPDX-License-Identifier: Apache-2.0 */
/* N threads that stand still in user code: team N [STOPS]. At team_is_here, which
   is passed STOPS times, all of them but the primary thread sleep below rest(). */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int resting;
static atomic_int released;

static void futex(atomic_int *word, int operation, int value) {
    syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static void wait_while(atomic_int *word, int value) {
    while (atomic_load(word) == value)
        futex(word, FUTEX_WAIT_PRIVATE, value);
}

__attribute__((noinline)) void team_is_here(int count) {
    __asm__ volatile("" : : "r"(count) : "memory");
}

__attribute__((noinline)) static void rest(void) {
    atomic_fetch_add(&resting, 1);
    futex(&resting, FUTEX_WAKE_PRIVATE, 1);
    wait_while(&released, 0);
}

__attribute__((noinline)) static void lead(int others, int stops) {
    for (int seen; (seen = atomic_load(&resting)) < others;)
        wait_while(&resting, seen);
    while (stops-- > 0)
        team_is_here(others + 1);
    atomic_store(&released, 1);
    futex(&released, FUTEX_WAKE_PRIVATE, others);
}

__attribute__((noinline)) static void work(int thread_num, int size, int stops) {
    if (thread_num == 0)
        lead(size - 1, stops);
    else
        rest();
}

int omp_get_thread_num(void);

int main(int argc, char **argv) {
    const int size = argc > 1 ? atoi(argv[1]) : 4;
    const int stops = argc > 2 ? atoi(argv[2]) : 1;
#pragma omp parallel num_threads(size)
    work(omp_get_thread_num(), size, stops);
    return 0;
}
