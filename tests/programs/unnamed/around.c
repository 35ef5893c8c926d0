/* SPDX-License-Identifier: Apache-2.0 */
/* A task that GCC's runtime executes in the call that makes it, with a region in which the primary
 * thread is at the end already. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int sum;
static char dependence;

static int primary_sleeps(void) {
    char state = 0;
    FILE *file = fopen("/proc/self/stat", "r");
    if (file == NULL || fscanf(file, "%*d %*s %c", &state) != 1)
        exit(2);
    fclose(file);
    return state == 'S';
}

__attribute__((noinline)) static void work(int amount) {
    while (amount == 1)
        if (primary_sleeps())
            abort();
}

__attribute__((noinline)) static void region(int amount) {
#pragma omp parallel num_threads(2)
    work(amount * omp_get_thread_num());
    sum++;
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1)
        omp_set_num_threads(2); /* from here on the initial task has a record */
#pragma omp task if (argc > 5) depend(out : dependence)
    {
        region(1);
        sum++;
    }
    return 0;
}
