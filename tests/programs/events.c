/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what begins in it: regions by their encountering thread, tasks by themselves. */
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef __clang__
#define NO_TEAMS 1 /* libomp does not take GCC's calls for teams on the host */
#endif

enum { ROUNDS = 3, ITERATIONS = 200 };

/* The debugger reads these when the program ends. */
atomic_int regions_of_solve;
atomic_int regions_of_others;
atomic_int tasks_of_update;
atomic_int tasks_of_others;
atomic_int undeferred_tasks;
atomic_int untied_parts;
atomic_int iterations;
atomic_int leagues;
atomic_int teams;
atomic_int total;

/* Everything has been counted. */
__attribute__((noinline)) void ended(void) {
    atomic_fetch_add(&total, 1);
}

/* Not inlined, so that each construct is in the function that is named here. */
__attribute__((noinline)) static void solve(int n) {
    atomic_fetch_add(&regions_of_solve, 1);
#pragma omp parallel num_threads(n)
    atomic_fetch_add(&total, 1);
}

__attribute__((noinline)) static void solve_if(int wanted) {
    atomic_fetch_add(&regions_of_others, 1);
#pragma omp parallel num_threads(2) if (wanted)
    atomic_fetch_add(&total, 1);
}

__attribute__((noinline)) static void nest(int outer, int inner) {
    atomic_fetch_add(&regions_of_others, 1);
#pragma omp parallel num_threads(outer)
    {
        atomic_fetch_add(&regions_of_others, 1);
#pragma omp parallel num_threads(inner)
        solve(inner);
    }
}

__attribute__((noinline)) static void update(int index) {
#pragma omp task firstprivate(index)
    {
        atomic_fetch_add(&tasks_of_update, 1);
        atomic_fetch_add(&total, index);
    }
}

__attribute__((noinline)) static void make_tasks(int count) {
    atomic_fetch_add(&regions_of_others, 1);
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        for (int i = 0; i < count; i++) {
            update(i);
#pragma omp task
            {
                atomic_fetch_add(&tasks_of_others, 1);
                update(i);
            }
        }
    }
}

/* Executed at once, by code that announces nothing. */
__attribute__((noinline)) static void make_undeferred(int wanted) {
#pragma omp task if (wanted)
    {
        if (wanted)
            atomic_fetch_add(&tasks_of_others, 1);
        else
            atomic_fetch_add(&undeferred_tasks, 1);
    }
#pragma omp taskwait
}

__attribute__((noinline)) static void make_untied(void) {
    atomic_fetch_add(&regions_of_others, 1);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task untied
        {
            atomic_fetch_add(&untied_parts, 1);
#pragma omp taskyield
            atomic_fetch_add(&untied_parts, 1);
        }
    }
}

/* So many tasks that libomp makes tasks of its own to make them. */
__attribute__((noinline)) static void loop(void) {
    atomic_fetch_add(&regions_of_others, 1);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop num_tasks(ITERATIONS)
    for (int i = 0; i < ITERATIONS; i++) atomic_fetch_add(&iterations, 1);
}

#ifndef NO_TEAMS
__attribute__((noinline)) static void league(void) {
    atomic_fetch_add(&leagues, 1);
#pragma omp teams num_teams(2) thread_limit(2)
    {
        atomic_fetch_add(&teams, 1);
        atomic_fetch_add(&regions_of_others, 1);
#pragma omp parallel num_threads(2)
        atomic_fetch_add(&total, 1);
    }
}

__attribute__((noinline)) static void league_of_ones(void) {
#pragma omp teams num_teams(2) thread_limit(1)
    atomic_fetch_add(&total, 1);
}
#endif

#ifndef NO_TEAMS
/* libomp's limit is the number of processors; it reads this when main begins. */
__attribute__((constructor)) static void allow_four_threads(void) {
    setenv("KMP_TEAMS_THREAD_LIMIT", "4", 1);
}
#endif

/* Executed at once in a final task: that one is included. */
__attribute__((noinline)) static void make_included(void) {
#pragma omp task final(1)
    {
        atomic_fetch_add(&tasks_of_others, 1);
#pragma omp task
        atomic_fetch_add(&tasks_of_others, 1);
    }
#pragma omp taskwait
}

atomic_int regions_before_main;

/* Optimised, it ends with a jump to the runtime, and the system's code is all that is around. */
__attribute__((constructor)) static void before_main(int argc, char **argv) {
    if (argc < 2 || argv[1][0] != 'b') return;
    atomic_fetch_add(&regions_before_main, 1);
#pragma omp parallel num_threads(2)
    atomic_fetch_add(&total, 1);
}

/* The first argument says which part; without it all but the untied task, and what is before. */
int main(int argc, char **argv) {
    const char part = argc > 1 ? argv[1][0] : 'a';
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    if (part == 'a' || part == 'r') {
        for (int i = 0; i < ROUNDS; i++) {
            solve(i + 1);
            solve_if(i & 1);
        }
        nest(2, 2);
        nest(1, 2);
        nest(1, 1);
    }
    if (part == 'a' || part == 't') {
        make_tasks(5);
        make_undeferred(1);
        make_undeferred(0);
        make_included();
    }
    if (part == 'a' || part == 'l') loop();
    if (part == 'u') make_untied();
#ifndef NO_TEAMS
    if (part == 'a' || part == 'm') league();
    if (part == 'o') league_of_ones();
#endif
    ended();
    return 0;
}
