/* SPDX-License-Identifier: Apache-2.0 */
/* What programs with target constructs have in common: each region says in which line its construct
   is, and whether the host executes it. */
#include <omp.h>
#include <stddef.h>

#ifdef __clang__
#define KEPT __attribute__((noinline, optnone))
#else
#define KEPT __attribute__((noipa))
#endif

#pragma omp declare target
KEPT static void visit(int line, int on_host) {
    __asm__ volatile("" ::"r"(line), "r"(on_host) : "memory");
}
#pragma omp end declare target

#define HERE(line) visit(line, omp_is_initial_device())
