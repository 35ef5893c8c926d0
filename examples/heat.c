/* SPDX-License-Identifier: Apache-2.0 */
/* Heat spreads over a plate: a thread for each half of it, and each of those
   begins a team of its own for the rows. When a half is done, an explicit task
   looks for the largest change. */
#include "settle.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROWS = 64, COLUMNS = 64, HALF = ROWS / 2, LARGE = 1000, STEPS = 3 };

static double plate[ROWS + 2][COLUMNS + 2];
static double change[2];
static atomic_int border_ready;

static double relax_row(int row)
{
    double largest = 0;
    for (int column = 1; column <= COLUMNS; column++) {
        const double old = plate[row][column];
        plate[row][column] = 0.25 * (plate[row - 1][column] + plate[row + 1][column] +
                                     plate[row][column - 1] + plate[row][column + 1]);
        largest = fmax(largest, fabs(plate[row][column] - old));
    }
    return largest;
}

static void largest_change(const double *changes, int half)
{
    for (int row = 0; row < HALF; row++)
        change[half] = fmax(change[half], changes[row]);
}

static void relax_half(int half, int step)
{
    double changes[HALF] = {0};
    const int first = 1 + half * HALF;

    /* The lower half needs the last row of the upper one. */
    while (half == 1 && atomic_load(&border_ready) <= step)
        continue;

    #pragma omp parallel num_threads(2)
    {
        #pragma omp for schedule(static)
        for (int row = 0; row < HALF; row++)
            changes[row] = relax_row(first + row);

        if (omp_get_thread_num() == 0) {
            if (half == 0) {
                atomic_store(&border_ready, step + 1);
                settle(3);
            }
            /* So few rows are not worth the wait for another thread. */
            #pragma omp task if (HALF > LARGE)
            largest_change(changes, half);
        }
        if (omp_get_thread_num() == 1)
            done_working();
    }
    if (half == 1)
        done_working();
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    for (int column = 0; column < COLUMNS + 2; column++)
        plate[0][column] = 100;

    for (int step = 0; step < STEPS; step++) {
        change[0] = change[1] = 0;
        #pragma omp parallel num_threads(2)
        relax_half(omp_get_thread_num(), step);
    }
    printf("largest change after %d steps: %.3f\n", STEPS, fmax(change[0], change[1]));
    return 0;
}
