// SPDX-License-Identifier: Apache-2.0
// One thread enters the log and begins a region of the other library's, in which one waits for the
// table; the other thread is in the table and waits for the log.
#include <omp.h>
#include <sched.h>

static void (*update_in_team)(void);
static void (*with_table)(void (*)(void));
static int lines, in_log, in_table;

static void wait_for(int *flag) {
    while (!__atomic_load_n(flag, __ATOMIC_SEQ_CST))
        sched_yield();
}

static void write_line(void) {
    __atomic_store_n(&in_table, 1, __ATOMIC_SEQ_CST);
    wait_for(&in_log);
#pragma omp critical(log)
    lines++;
}

static void write_and_update(void) {
#pragma omp critical(log)
    {
        __atomic_store_n(&in_log, 1, __ATOMIC_SEQ_CST);
        wait_for(&in_table);
        update_in_team();
        lines++;
    }
}

void run(void (*update)(void), void (*with)(void (*)(void))) {
    update_in_team = update;
    with_table = with;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            write_and_update();
        else
            with_table(write_line);
    }
}
