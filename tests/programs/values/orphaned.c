/* SPDX-License-Identifier: Apache-2.0 */
/* Worksharing loops in a function that a region's threads call, sections that declare what their
   directive names, pointers to arrays of variable length, what tasks reduce, a threadprivate variable
   that is declared twice. */
#include "record.h"

#include <omp.h>

enum { SIZE = 3 };

static int last, running, reduced;
extern int declared_twice;
int declared_twice = 50;
#pragma omp threadprivate(declared_twice)

static void loop(int steps)
{
#pragma omp for lastprivate(last) linear(running) reduction(+ : reduced) schedule(static, 1)
    for (int i = 0; i < steps; i++) {
        int hiding = i + 7;
        last = i * 3;
        running += 1;
        reduced += i + 40;
        NOTE(last);
        NOTE(running);
        NOTE(reduced);
        NOTE(hiding);
        HOLD();
        __asm__ volatile("" : : "r"(&last), "r"(&running), "r"(&reduced), "r"(&hiding));
    }
}

static void hidden(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp sections lastprivate(last)
        {
#pragma omp section
            {
                last = 70;
                {
                    int last = 5;
                    NOTE(last);
                    HOLD();
                    __asm__ volatile("" : : "r"(&last));
                }
                __asm__ volatile("" : : "r"(&last));
            }
#pragma omp section
            {
                last = 80;
                {
                    int last = 6;
                    NOTE(last);
                    HOLD();
                    __asm__ volatile("" : : "r"(&last));
                }
                __asm__ volatile("" : : "r"(&last));
            }
        }
    }
}

static void pointers(int rows, int columns, double table[rows][columns])
{
    double(*lines)[columns] = table, *cells[rows];

    cells[1] = &table[1][0];
#pragma omp parallel num_threads(SIZE) shared(cells)
    {
        const int thread = omp_get_thread_num();
        NOTE(table[1][2]);
        NOTE(lines[2][1]);
        NOTE(*cells[1]);
        NOTE(thread);
        HOLD();
        __asm__ volatile("" : : "r"(&table), "r"(&lines), "r"(cells), "r"(&thread));
    }
}

static void tasks(int total)
{
#pragma omp parallel num_threads(SIZE) shared(total)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : total)
    for (int i = 0; i < SIZE; i++) {
#pragma omp task in_reduction(+ : total)
        {
            int inside = omp_get_thread_num();
            total += inside + 20;
            NOTE(total);
            NOTE(inside);
            HOLD();
            __asm__ volatile("" : : "r"(&total), "r"(&inside));
        }
    }
}

static void copied_in(void)
{
#pragma omp parallel num_threads(SIZE) copyin(declared_twice)
    {
        const int thread = omp_get_thread_num();
        declared_twice += thread;
        NOTE(declared_twice);
        NOTE(thread);
        HOLD();
        __asm__ volatile("" : : "r"(&declared_twice), "r"(&thread));
    }
}

int main(int argc, char **argv)
{
    double table[3][4];

    (void)argv;
    for (int i = 0; i < 12; i++)
        table[i / 4][i % 4] = i + argc;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(SIZE)
    loop(argc + 2);
    hidden();
    pointers(argc + 2, argc + 3, table);
    tasks(argc * 100);
    copied_in();
    return 0;
}
