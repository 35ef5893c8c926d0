/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of each data-sharing attribute in regions, loops, sections, tasks and nested
   regions. At each stop every thread of one team stands in HOLD. */
#include "record.h"

#include <omp.h>

enum { SIZE = 3 };

struct grid {
    int id;
    double cell[2][3];
};

static double own;
#pragma omp threadprivate(own)
static int everybody = 11;
static int total = -1, covered = -2; /* those in "tasks" and "untied" hide them */

static void attributes(int given, int length)
{
    int shared = 5, mine = -1, reduced = 100;
    double list[4] = {0.5, 1.5, 2.5, 3.5}, sized[length];
    int unused[3] = {given, length, given};
    struct grid grid = {0, {{1, 2, 3}, {4, 5, 6}}};
    for (int i = 0; i < length; i++)
        sized[i] = i * 10;
    (void)unused;
#pragma omp parallel num_threads(SIZE) private(mine) firstprivate(given, grid) reduction(+ : reduced) copyin(own)
    {
        mine = omp_get_thread_num() * 7;
        own = mine + 0.25;
        given += mine;
        reduced += mine;
        grid.id = mine;
        if (mine == 7)
            grid.cell[1][2] = -1;
        NOTE(shared);
        NOTE(mine);
        NOTE(given);
        NOTE(reduced);
        NOTE(own);
        NOTE(everybody);
        NOTE(grid.id);
        NOTE(grid.cell[1][2]);
        NOTE(list[3]);
        NOTE(sized[2]);
        NOTE(sizeof sized);
        HOLD();
        __asm__ volatile("" : : "r"(&shared), "r"(list), "r"(sized), "r"(&mine), "r"(&grid));
        reduced += given;
    }
    __asm__ volatile("" : : "r"(reduced));
}

static void loops(int steps)
{
    int last = -5, running = 3, pair[2] = {-6, -7};
#pragma omp parallel num_threads(SIZE) shared(steps)
    {
        int seen = 0;
#pragma omp for lastprivate(last, pair) linear(running) schedule(static, 1) collapse(2)
        for (int once = 0; once < 1; once++)
        for (int i = 0; i < steps; i++) {
            last = i * 3;
            pair[1] = i * 4;
#pragma omp atomic
            everybody += 1;
            running += 1;
            seen += i + 1;
            NOTE(i);
            NOTE(last);
            NOTE(pair[1]);
            NOTE(running);
            NOTE(seen);
            NOTE(steps);
            HOLD();
            __asm__ volatile("" : : "r"(pair) : "memory");
            last += i;
        }
    }
    __asm__ volatile("" : : "r"(last), "r"(pair), "r"(running));
}

static void parts(void)
{
    int common = 40;
#pragma omp parallel sections num_threads(SIZE) firstprivate(common)
    {
#pragma omp section
        {
            int first = common + omp_get_thread_num();
            NOTE(first);
            NOTE(common);
            HOLD();
            common += first;
        }
#pragma omp section
        {
            int second = common - omp_get_thread_num();
            NOTE(second);
            NOTE(common);
            HOLD();
            common += second;
        }
#pragma omp section
        {
            int third = common * 2;
            NOTE(third);
            NOTE(common);
            HOLD();
            common += third;
        }
    }
}

static void tasks(int base)
{
    int total = 0;
#pragma omp parallel num_threads(SIZE)
#pragma omp single
    for (int i = 0; i < SIZE; i++) {
        int taken = base + i;
#pragma omp task firstprivate(taken) shared(total)
        {
            int inside = taken * 2;
            taken += 1;
            NOTE(taken);
            NOTE(inside);
            NOTE(total);
            HOLD();
            __asm__ volatile("" : : "r"(&total), "r"(&inside));
            taken += inside;
        }
    }
}

static void nested(int depth)
{
    int outer = depth;
#pragma omp parallel num_threads(2) firstprivate(outer) copyin(own)
    {
        outer += omp_get_thread_num();
        own = outer;
        if (omp_get_thread_num() == 1) {
            int inner = 100;
#pragma omp parallel num_threads(SIZE) firstprivate(inner) shared(outer)
            {
                inner += omp_get_thread_num();
                own = inner * 3;
                NOTE(inner);
                NOTE(outer);
                HOLD();
                __asm__ volatile("" : : "r"(&inner), "r"(&outer));
                inner += outer;
            }
        }
    }
}

static void untied(int base)
{
    int many = 0;
#pragma omp parallel num_threads(SIZE)
#pragma omp single
    for (int i = 0; i < SIZE; i++) {
#pragma omp task untied firstprivate(i) shared(many)
        {
            short covered = (short)(base + i);
            NOTE(covered);
            HOLD();
            __asm__ volatile("" : : "r"(&covered), "r"(&many));
        }
    }
}

int main(int argc, char **argv)
{
    volatile int everybody = 37;  /* not the one that the functions below see */

    (void)argv;
    (void)everybody;
    __asm__ volatile("" : : "r"(&total), "r"(&covered));
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    attributes(argc, argc + 4);
    loops(argc + 2);
    parts();
    tasks(argc * 20);
    nested(argc * 1000);
    untied(argc * 60);
    return 0;
}
