/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job of MPI that hangs across ranks: the last rank's thread 3 receives what nobody sends, while
 * its team waits at a barrier, and the other ranks, whose teams have ended, wait for it.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static void exchange(int from) {
    int got = 0;
    MPI_Recv(&got, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int provided = 0, rank = 0, size = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma omp parallel num_threads(4)
    {
        if (rank == size - 1 && omp_get_thread_num() == 3) {
            puts("ready");
            fflush(stdout);
            exchange(0);
        }
#pragma omp barrier
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
