/* SPDX-License-Identifier: Apache-2.0 */
/* GCC, optimising, has both regions begin by one call, and their bodies end with a jump. */
#include <unistd.h>

static volatile int which;

static __attribute__((noinline)) void done(int count) {
    which += count;
}

int main(int argc, char **argv) {
    if (argc == 1) {
#pragma omp parallel num_threads(1) firstprivate(argc)
        {
            which = argc + 3;
            usleep((unsigned)argc);
        }
        done(1);
        done(2);
        done(4);
        done(8);
    } else {
#pragma omp parallel num_threads(1) firstprivate(argc)
        {
            which = argc + 5;
            usleep((unsigned)argc);
        }
        done(1);
        done(2);
        done(4);
        done(8);
    }
    return argv == 0;
}
