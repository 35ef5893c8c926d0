/* SPDX-License-Identifier: Apache-2.0 */
/* A rank of a parallel job without MPI: one thread is in a function of its name, for ever. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

int MPI_Recv(void *data);

__attribute__((noinline)) int MPI_Recv(void *data) {
    return (int)read(ends[0], data, 1);
}

static void exchange(void) {
    char byte;
    if (MPI_Recv(&byte) != 1)
        exit(1);
}

int main(void) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (pipe(ends) != 0)
        return 1;
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 3) {
            puts("ready");
            fflush(stdout);
            if (rank != NULL && strcmp(rank, "1") == 0)
                exchange();
            else
                sleep(1000);
        }
#pragma omp barrier
    }
    return 0;
}
