/* SPDX-License-Identifier: Apache-2.0 */
/* Writes by the threads of a team, in an order that is always the same: each under one critical,
   under one lock, under two locks that differ, and under none; and of one thread in each of two
   regions. */
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

enum { SIZE = 3 };

static int in_critical, in_lock, in_two, in_none, by_turns;
static omp_lock_t lock, locks[SIZE];
static atomic_int turn;

static void wait_for_turn(int number)
{
    while (atomic_load(&turn) != number)
        sched_yield();
}

static void pass_on(void)
{
    atomic_fetch_add(&turn, 1);
}

static void write_all(int thread)
{
    wait_for_turn(thread);
#pragma omp critical(gate)
    in_critical += thread + 1;
    pass_on();
    wait_for_turn(SIZE + thread);
    omp_set_lock(&lock);
    in_lock += thread + 1;
    omp_unset_lock(&lock);
    pass_on();
    wait_for_turn(2 * SIZE + thread);
    omp_set_lock(&locks[thread]);
    in_two += thread + 1;
    omp_unset_lock(&locks[thread]);
    pass_on();
    wait_for_turn(3 * SIZE + thread);
    in_none += thread + 1;
    pass_on();
#pragma omp barrier
}

__attribute__((noinline)) static void writes_begin(void)
{
    __asm__ volatile("" : : : "memory");
}

int main(void)
{
    omp_set_dynamic(0);
    omp_init_lock(&lock);
    for (int i = 0; i < SIZE; i++)
        omp_init_lock(&locks[i]);
    in_none = 100;
    writes_begin();
#pragma omp parallel num_threads(SIZE)
    write_all(omp_get_thread_num());
    for (int writer = 0; writer < SIZE; writer++)
#pragma omp parallel num_threads(SIZE)
        if (omp_get_thread_num() == writer)
            by_turns += writer + 1;
    return in_critical + in_lock + in_two + in_none + by_turns == 0;
}
