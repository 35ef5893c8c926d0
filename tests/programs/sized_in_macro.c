/* SPDX-License-Identifier: Apache-2.0 */
/* Teams of one, by clauses that lines do not show, or that only a comment has. */
static volatile int seen;
__attribute__((noinline)) void alone(const char *reason) { seen += reason[0]; }

#define TEXT(words) #words
#define PRAGMA(words) _Pragma(TEXT(words))
#define PARALLEL(...) PRAGMA(omp parallel __VA_ARGS__)

int main(int argc, char **argv) {
    (void)argv;
    PARALLEL(if (argc > 3))
    alone("if");
    PARALLEL(num_threads(argc))
    alone("num_threads");
#pragma omp parallel num_threads(argc) /* but no if (argc > 3) */
    alone("num_threads");
    return seen < 0;
}
