/* SPDX-License-Identifier: Apache-2.0 */
/* An optimising compiler has a teams construct's body end with the jump that begins the region. */
static volatile int reached;

__attribute__((noinline)) void alone(const char *reason) {
    reached += reason[0];
    __asm__ volatile("" : : : "memory");
}
static __attribute__((noinline)) void work(void) { alone("thread-limit-var"); }

int main(void) {
#pragma omp teams num_teams(1) thread_limit(1)
    {
#pragma omp parallel num_threads(3)
        work();
    }
    return 0;
}
