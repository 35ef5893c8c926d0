/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that a sections construct has, of which GCC describes none, in a function that a region's
   threads call and in the region's body; a function's threadprivate variable; copies of sections of
   arrays, of which clang describes only these; copies of static and global variables, and of what is
   lastprivate(conditional:), of which clang describes only the original; a loop's variable, of which
   it tells the first value for ever. */
#include "record.h"

#include <omp.h>

enum { SIZE = 3 };

static int everybody = 8, kept_outside = 30;
int global_sum = 40;
static struct {
    int number;
    double real;
} pair = {1, 0.5};

static void called(int argument, int other)
{
    int local = argument * 7;
#pragma omp sections private(argument, local)
    {
#pragma omp section
        {
            int other = omp_get_thread_num() + 5;
            argument = other + 60;
            local = argument * 2;
            NOTE(argument);
            NOTE(everybody);
            NOTE(local);
            NOTE(other);
            HOLD();
            __asm__ volatile("" : : "r"(&argument), "r"(&local), "r"(&other));
        }
#pragma omp section
        {
            argument = other + 70;
            local = argument * 2;
            NOTE(argument);
            NOTE(everybody);
            NOTE(local);
            NOTE(other);
            HOLD();
            __asm__ volatile("" : : "r"(&argument), "r"(&local), "r"(&other));
        }
#pragma omp section
        {
            argument = other + 80;
            local = argument * 2;
            NOTE(argument);
            NOTE(everybody);
            NOTE(local);
            NOTE(other);
            HOLD();
            __asm__ volatile("" : : "r"(&argument), "r"(&local), "r"(&other));
        }
    }
    __asm__ volatile("" : : "r"(&argument), "r"(&local), "r"(&other));
}

static void in_body(int argument)
{
    static int functions_own;
#pragma omp threadprivate(functions_own)
#pragma omp parallel num_threads(SIZE)
    {
        const int thread = omp_get_thread_num();
        functions_own = thread + 90;
#pragma omp sections private(argument)
        {
#pragma omp section
            {
                argument = thread + 100;
                NOTE(argument);
                NOTE(everybody);
                NOTE(functions_own);
                NOTE(thread);
                HOLD();
                __asm__ volatile("" : : "r"(&argument), "r"(&functions_own), "r"(&thread));
            }
#pragma omp section
            {
                argument = thread + 200;
                NOTE(argument);
                NOTE(everybody);
                NOTE(functions_own);
                NOTE(thread);
                HOLD();
                __asm__ volatile("" : : "r"(&argument), "r"(&functions_own), "r"(&thread));
            }
#pragma omp section
            {
                argument = thread + 300;
                NOTE(argument);
                NOTE(everybody);
                NOTE(functions_own);
                NOTE(thread);
                HOLD();
                __asm__ volatile("" : : "r"(&argument), "r"(&functions_own), "r"(&thread));
            }
        }
    }
    __asm__ volatile("" : : "r"(&argument));
}

static void lengths(int size)
{
    static int called = 77; /* a function has this name, too */
    int copied[size];

    for (int i = 0; i < size; i++)
        copied[i] = i * 3 + size;
#pragma omp parallel for num_threads(SIZE) schedule(static, 1) firstprivate(copied)
    for (int step = 0; step < SIZE; step++) {
        static int kept = 33;
        int local[step + 2];

        copied[1] += step;
        local[1] = step + 60;
        NOTE(copied[1]);
        NOTE(copied[2]);
        NOTE(sizeof copied);
        NOTE(local[1]);
        NOTE(sizeof local);
        NOTE(kept);
        NOTE(called);
        NOTE(everybody);
        NOTE(step);
        HOLD();
        __asm__ volatile("" : : "r"(copied), "r"(local), "r"(&kept), "r"(&called), "r"(&step));
    }
}

static void sections(int size)
{
    int part[6] = {0, 0, 0, 0, 0, 0}, sized[size], four[4] = {size, size, size, size}, *begun = four;

    sized[1] = sized[2] = 0;
#pragma omp parallel num_threads(SIZE) reduction(+ : part[1 : 3]) reduction(+ : begun[ : 2]) \
    reduction(+ : sized[1 : 2])
    {
        const int thread = omp_get_thread_num();
        part[1] += thread + 5;
        part[2] += thread + 6;
        part[3] += thread + 7;
        begun[1] += thread + 8;
        sized[1] += thread + 9;
        sized[2] += thread + 10;
        NOTE(part[2]);
        NOTE(begun[1]);
        NOTE(sized[1]);
        NOTE(size);
        NOTE(thread);
        HOLD();
        __asm__ volatile("" : : "r"(&part[1]), "r"(begun), "r"(&sized[1]), "r"(&size), "r"(&thread));
        part[1] += 1;
    }
    __asm__ volatile("" : : "r"(part), "r"(four), "r"(sized));
}

static void of_statics(int given)
{
    int conditional = given;
#pragma omp parallel num_threads(SIZE) firstprivate(kept_outside, pair) reduction(+ : global_sum)
    {
        const int thread = omp_get_thread_num();
        kept_outside += thread;
        pair.number += thread;
        global_sum += thread + 2;
#pragma omp for lastprivate(conditional : conditional) schedule(static, 1)
        for (int step = 0; step < SIZE; step++) {
            if (step >= 0)
                conditional = step + 50;
            NOTE(kept_outside);
            NOTE(pair.number);
            NOTE(global_sum);
            NOTE(conditional);
            NOTE(everybody);
            HOLD();
            __asm__ volatile("" : : "r"(&kept_outside), "r"(&pair), "r"(&global_sum));
        }
    }
    __asm__ volatile("" : : "r"(&conditional));
}

static void ordered(int steps)
{
#pragma omp parallel for num_threads(SIZE) ordered(2) schedule(static, 1)
    for (int i = 0; i < steps; i++)
        for (int j = 0; j < 2; j++) {
            if (j == 0) {
                NOTE(i);
                NOTE(everybody);
                HOLD();
            }
#pragma omp ordered depend(sink : i - 1, j)
            everybody += 0;
#pragma omp ordered depend(source)
        }
}

int main(int argc, char **argv)
{
    (void)argv;
    everybody += argc;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(SIZE)
    called(argc + 40, argc + 50);
    in_body(argc + 20);
    lengths(argc + 3);
    sections(argc + 9);
    of_statics(argc + 60);
    ordered(argc + 2);
    return 0;
}
