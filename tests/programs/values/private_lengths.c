/* SPDX-License-Identifier: Apache-2.0 */
/* Private arrays of variable length, whose bounds clang hands over before what is shared and none
   of these, and tells as variables of the function around; arrays of which only some bounds vary;
   and variables that have the name by which clang hands over bounds, vla. */
#include "record.h"

#include <omp.h>

enum { SIZE = 3 };

static __attribute__((noinline)) void leaf(int value) {
    __asm__ volatile("" : : "r"(value) : "memory");
}

static void lengths(int rows, int columns, double *list) {
    int lone[rows][columns], shared = rows + 10;
    struct {
        int first, second;
    } both = {5, 6};

#pragma omp parallel num_threads(SIZE) private(lone)
    {
        lone[1][1] = rows;
        shared += 0;
        leaf(lone[1][1]);
        NOTE(shared);
        HOLD();
        __asm__ volatile("" : : "r"(lone), "r"(&shared));
    }
#pragma omp parallel num_threads(SIZE) private(lone)
    {
        lone[1][1] = rows;
        both.second += 0;
        NOTE(both.second);
        HOLD();
        __asm__ volatile("" : : "r"(lone), "r"(&both));
    }
#pragma omp parallel num_threads(SIZE) private(lone)
    {
        lone[1][1] = rows;
        list[0] += 0;
        NOTE(list[1]);
        HOLD();
        __asm__ volatile("" : : "r"(lone), "r"(&list));
    }
}

static void partly(int rows, int columns, double *list) {
    int inner[rows][3], outer[2][rows][columns];
    double *led[rows];

    for (int i = 0; i < rows; i++) {
        led[i] = list + i % 2;
        for (int j = 0; j < 3; j++)
            inner[i][j] = 10 * i + j;
        for (int j = 0; j < columns; j++)
            outer[0][i][j] = outer[1][i][j] = 10 * i + j;
    }
#pragma omp parallel num_threads(SIZE) firstprivate(inner, outer, led)
    {
        inner[2][1] += omp_get_thread_num();
        outer[1][2][1] += omp_get_thread_num();
        led[1] += 0;
        NOTE(inner[2][1]);
        NOTE(sizeof inner);
        NOTE(outer[1][2][1]);
        NOTE(sizeof outer);
        NOTE(*led[1]);
        NOTE(sizeof led);
        HOLD();
        __asm__ volatile("" : : "r"(inner), "r"(outer), "r"(led));
    }
}

static void named(int rows, double *list) {
    double other[rows];
    int vla = rows + 40;

    for (int i = 0; i < rows; i++)
        other[i] = list[i % 2];
#pragma omp parallel num_threads(SIZE) firstprivate(other) shared(vla)
    {
        vla += 0;
        NOTE(other[1]);
        NOTE(vla);
        HOLD();
        __asm__ volatile("" : : "r"(other), "r"(&vla));
    }
    {
        int vla[rows];

        for (int i = 0; i < rows; i++)
            vla[i] = i + 7;
#pragma omp parallel num_threads(SIZE) firstprivate(vla)
        {
            vla[1] += omp_get_thread_num();
            NOTE(vla[1]);
            NOTE(vla[2]);
            NOTE(sizeof vla);
            HOLD();
            __asm__ volatile("" : : "r"(vla));
        }
    }
}

int main(int argc, char **argv) {
    double list[] = {0.5, 1.5};

    (void)argv;
    lengths(argc + 3, argc + 2, list);
    partly(argc + 3, argc + 1, list);
    named(argc + 3, list);
    return 0;
}
