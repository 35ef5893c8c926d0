/* SPDX-License-Identifier: Apache-2.0 */
/* Uses OpenMP, forks, uses it in both processes, and becomes the program it is given. */
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int inner(int team_size) {
    return team_size;
}

static void region(int team_size) {
#pragma omp parallel num_threads(team_size)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            (void)inner(omp_get_num_threads());
#pragma omp barrier
    }
}

int main(int argc, char **argv) {
    region(4);
    const pid_t child = fork();
    if (child == 0) {
        region(3);
        _exit(0);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child)
        return 1;
    region(2);
    if (argc > 1)
        execv(argv[1], argv + 1);
    return 0;
}
