/* SPDX-License-Identifier: Apache-2.0 */
/* Teams of every size, each for another reason: one thread of each stops in alone(). */
#include <omp.h>

static volatile int seen;
__attribute__((noinline)) void alone(const char *reason) { seen += reason[0]; }

#define ALONE(reason)                                                                              \
    if (omp_get_thread_num() == 0)                                                                 \
    alone(reason)

__attribute__((noinline)) static void if_clause(int n) {
#pragma omp parallel if (n > 3)
    ALONE("if");
}

__attribute__((noinline)) static void if_of_loop(int n) {
#pragma omp parallel for if (parallel : n > 100) schedule(dynamic)
    for (int i = 0; i < n; i++)
        if (i == 0)
            alone("if");
}

__attribute__((noinline)) static void one(void) {
#pragma omp parallel num_threads(1)
    ALONE("num_threads");
}

__attribute__((noinline)) static void many(int n) {
#pragma omp parallel num_threads(n)
    ALONE("num_threads");
}

__attribute__((noinline)) static void nested(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp parallel
            ALONE("max-active-levels-var");
            seen++;
        }
    }
    seen++;
}

__attribute__((noinline)) static void as_set(const char *reason) {
#pragma omp parallel
    ALONE(reason);
    seen++;
}

int main(int argc, char **argv) {
    (void)argv;
    as_set("set");
    if (argc > 1)
        return 0;
    if_clause(argc);
    if_of_loop(argc + 3);
    one();
    many(argc + 1);
    nested();
    omp_set_num_threads(3);
    as_set("call");
    omp_set_dynamic(1);
    many(64);
}
