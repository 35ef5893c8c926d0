/* SPDX-License-Identifier: Apache-2.0 */
/* All threads of a team execute target regions on the host, and have begun a region in them. */
#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

int come, lwps[3];

__attribute__((noinline)) void visit(int own, int number) {
    __asm__ volatile("" ::"r"(own), "r"(number) : "memory");
}

__attribute__((noinline)) static void meet(int threads) {
    __atomic_add_fetch(&come, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&come, __ATOMIC_SEQ_CST) < threads)
        ;
}

int main(void) {
#pragma omp parallel num_threads(3)
    {
        const int own = omp_get_thread_num();
        lwps[own] = (int)syscall(SYS_gettid);
#pragma omp target
        {
#pragma omp parallel num_threads(2)
            {
                meet(6);
                visit(own, omp_get_thread_num());
                meet(12);
            }
        }
    }
    return 0;
}
