/* SPDX-License-Identifier: Apache-2.0 */
/* With OMP_THREAD_LIMIT=6: teams that others leave few threads for, or none, and one that gets all
 * that it asks for. GCC's clause if alone, which is true, is no request for a number. */
#include <omp.h>

static volatile int seen;
__attribute__((noinline)) void alone(const char *reason) { seen += reason[0]; }

__attribute__((noinline)) static void inner(const char *reason, int n) {
#pragma omp parallel num_threads(n)
    {
        if (omp_get_thread_num() == 0)
            alone(reason);
        seen++;
    }
    seen++;
}

__attribute__((noinline)) static void as_set(const char *reason, int is_many) {
#pragma omp parallel if (is_many > 0)
    {
        if (omp_get_thread_num() == 0)
            alone(reason);
        seen++;
    }
    seen++;
}

int main(int argc, char **argv) {
    (void)argv;
    as_set("environment", argc);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 0) {
            inner("thread-limit-var", 5);
            inner("num_threads", 2);
        }
    }
#pragma omp parallel num_threads(6)
    {
        if (omp_get_thread_num() == 0)
            inner("thread-limit-var", 5);
    }
    omp_set_dynamic(1);
    inner("thread-limit-var", 64);
}
