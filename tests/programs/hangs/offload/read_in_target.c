/* SPDX-License-Identifier: Apache-2.0 */
/* A target task that reads what nobody writes, while a thread waits for it. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    int found = pipe(ends);
    int from = ends[0];
    puts("ready");
    fflush(stdout);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait map(tofrom : found) firstprivate(from)
        {
            char byte = 0;
            found += (int)read(from, &byte, 1);
        }
#pragma omp taskwait
    }
    return found;
}
