/* SPDX-License-Identifier: Apache-2.0 */
/* Teams of one, by one of two clauses whose values tell by which; then teams of three, in a body
   that an optimising compiler has end with the jump which begins their region. */
#include <omp.h>

static volatile int seen;
__attribute__((noinline)) void alone(const char *reason) { seen += reason[0]; }

static __attribute__((noinline)) void by_variables(int is_many, int threads, const char *reason) {
#pragma omp parallel if (is_many) num_threads(threads)
    alone(reason);
}

static __attribute__((noinline)) void by_number(int size, const char *reason) {
#pragma omp parallel if (parallel : size > 2) num_threads(1)
    alone(reason);
}

static void first_of_three(void) {
    if (omp_get_thread_num() == 0)
        alone("num_threads");
}

int main(int argc, char **argv) {
    (void)argv;
    by_variables(0, 4, "if");
    by_variables(argc, 1, "num_threads");
    by_number(argc, "if");
    by_number(argc + 2, "num_threads");
#pragma omp parallel num_threads(1)
    {
#pragma omp parallel num_threads(3)
        first_of_three();
    }
    return seen < 0;
}
