/* SPDX-License-Identifier: Apache-2.0 */
/* A league in a target region, each with a line of its own, and a target region without one. */
__attribute__((noinline)) void visit(int is_in_league) {
    __asm__ volatile("" ::"r"(is_in_league) : "memory");
}

int main(void) {
#pragma omp target
#pragma omp teams num_teams(2) thread_limit(2)
    {
        visit(1);
        __asm__ volatile("");
    }
#pragma omp target
    visit(0);
    return 0;
}
