/* SPDX-License-Identifier: Apache-2.0 */
/* A body of whose code gcc -O2 describes nothing: GDB has lines and the linker's name for it. */
#include <unistd.h>

static volatile int gate = 1;

static void spin(void) {
    while (gate) {
        usleep(1);
        gate = 0;
    }
}

__attribute__((noinline)) static void loop(void) {
#pragma omp taskloop num_tasks(2)
    for (int i = 0; i < 2; i++)
        spin();
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    loop();
    return 0;
}
