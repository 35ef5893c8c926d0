/* SPDX-License-Identifier: Apache-2.0 */
/* Teams of one thread, with dyn-var, by clauses of which the code does not tell the values. */
#include <omp.h>

static volatile int seen, one = 1, level = 3;
__attribute__((noinline)) void alone(const char *reason) { seen += reason[0]; }

int main(int argc, char **argv) {
    (void)argv;
    omp_set_dynamic(argc == 1);
#pragma omp parallel if (level > 3)
    alone("if");
    seen++;
#pragma omp parallel num_threads(one)
    alone("num_threads");
    seen++;
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
#pragma omp parallel
#pragma omp parallel
    alone("thread-limit-var");
    return 0;
}
