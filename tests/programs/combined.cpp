// SPDX-License-Identifier: Apache-2.0
// Combined constructs, of which g++ has the inner region begin in its first statement's line.
static volatile int visits;

__attribute__((noinline)) static void visit(int line) {
    visits = visits + (line > 0);
}

int main() {
#pragma omp target parallel num_threads(1)
    {
        visits = visits + 1;
        visit(__LINE__ - 3);
    }
#pragma omp target teams distribute parallel for num_teams(1) \
    thread_limit(1)
    for (int number = 0; number < 1; ++number)
        visit(__LINE__ - 3);
    return 0;
}
