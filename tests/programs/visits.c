/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls one function from everywhere OpenMP can be, and counts by omp_get_*
 * what conditions on that function are to find. Prints "COUNT condition n".
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 5, TASKS = 20 };

static atomic_int number_1, team_of_3, level_2, active_2, serial, inside, tasks, under_1, outer_2;

__attribute__((noinline)) void visit(int in_task) {
    number_1 += omp_get_thread_num() == 1;
    team_of_3 += omp_get_num_threads() == 3;
    level_2 += omp_get_level() == 2;
    active_2 += omp_get_active_level() == 2;
    serial += omp_get_level() == 0;
    inside += omp_in_parallel();
    tasks += in_task;
    under_1 += omp_get_ancestor_thread_num(1) == 1;
    outer_2 += omp_get_team_size(1) == 2;
}

static void nested(int threads) {
#pragma omp parallel num_threads(threads)
    visit(0);
}

static void many_tasks(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task
        visit(1);
    }
}

int main(void) {
    omp_set_max_active_levels(2);
    visit(0);
    for (int round = 0; round < ROUNDS; round++) {
        visit(0);
#pragma omp parallel num_threads(2)
        {
            visit(0);
            nested(3);
            nested(1);
        }
        many_tasks();
    }
    printf("COUNT $_omp_thread_num() == 1: %d\n", number_1);
    printf("COUNT $_omp_num_threads() == 3: %d\n", team_of_3);
    printf("COUNT $_omp_level() == 2: %d\n", level_2);
    printf("COUNT $_omp_active_level() == 2: %d\n", active_2);
    printf("COUNT $_omp_level() == 0: %d\n", serial);
    printf("COUNT $_omp_in_parallel(): %d\n", inside);
    printf("COUNT $_omp_in_explicit_task(): %d\n", tasks);
    printf("COUNT $_omp_ancestor_thread_num(1) == 1: %d\n", under_1);
    printf("COUNT $_omp_team_size(1) == 2: %d\n", outer_2);
    printf("COUNT $_omp_icv(\"levels-var\") == 2: %d\n", level_2);
    printf("COUNT $_omp_icv(\"thread-num-var\") == 1: %d\n", number_1);
    printf("COUNT $_streq($_omp_state(), \"work_serial\"): %d\n", serial);
    return 0;
}
