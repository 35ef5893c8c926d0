/* SPDX-License-Identifier: Apache-2.0 */
/* Many small explicit tasks: tasks COUNT. Prints the seconds they took. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int done;

int main(int argc, char **argv) {
    const int count = argc > 1 ? atoi(argv[1]) : 1000;
#pragma omp parallel num_threads(2)
    {
    } /* the team exists before the clock starts */
    const double began = omp_get_wtime();
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < count; i++) {
#pragma omp task
        atomic_fetch_add(&done, 1);
    }
    printf("SECONDS %.6f\n", omp_get_wtime() - began);
    return atomic_load(&done) != count;
}
