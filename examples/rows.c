/* SPDX-License-Identifier: Apache-2.0 */
/* Values: three threads fill rows of a table, each with its own copy of a row. */
#include "settle.h"

#include <omp.h>
#include <semaphore.h>
#include <stdio.h>

enum { THREADS = 3, ROWS = 12, COLUMNS = 3 };

struct row {
    int owner;
    int cell[2][COLUMNS];
};

static sem_t gate;
static double table[ROWS];

int main(void)
{
    const int length = THREADS * COLUMNS;
    double sum = 0;
    omp_set_dynamic(0);
    sem_init(&gate, 0, 0);

    #pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    {
        struct row row = {omp_get_thread_num(), {{1, 2, 3}, {4, 5, 6}}};
        #pragma omp for schedule(static, 2)
        for (int i = 0; i < ROWS; i++) {
            row.cell[1][2] = i == 4 ? -1 : 6;
            table[i] = row.cell[1][2] * (i + 0.5);
            sum += table[i];
            if (i == 1) {
                settle(THREADS - 1);
                sem_post(&gate);
                sem_post(&gate);
            } else if (i == 2 || i == 4) {
                done_working();
                sem_wait(&gate);
            }
        }
    }
    printf("sum of %d columns: %d\n", length, (int)sum);
    return 0;
}
