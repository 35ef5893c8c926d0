/* SPDX-License-Identifier: Apache-2.0 */
/* All ranks but the last are in MPI_Finalize, to which main jumps where it is optimized; a thread of
   the last works. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static void work(void) {
    for (volatile int i = 0; i == 0;)
        sleep(1);
}

int main(int argc, char **argv) {
    int rank, size, provided, sum, one = 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == size - 1) {
        puts("ready");
        fflush(stdout);
    }
#pragma omp parallel num_threads(4)
    {
        if (rank == size - 1 && omp_get_thread_num() == 1)
            work();
    }
    return MPI_Finalize();
}
