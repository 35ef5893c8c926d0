/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with the names that LLVM's runtime has, C++'s too. */
#define FUNCTION(name)                                                                             \
    void name(void);                                                                               \
    void name(void) { __asm__(".skip 64"); }

FUNCTION(_ZL26__kmp_hyper_barrier_gatherv)
FUNCTION(_ZL27__kmp_hyper_barrier_releasev)
FUNCTION(_ZL17__kmp_invoke_taskv)
FUNCTION(_Z18__kmp_join_barrierv)
FUNCTION(_Z18__kmp_fork_barrierv)
FUNCTION(__kmp_fork_call)
FUNCTION(__kmp_join_call)
FUNCTION(__kmp_invoke_microtask)
FUNCTION(__kmp_wait)
FUNCTION(__kmpc_barrier)
FUNCTION(__kmpc_fork_call)
FUNCTION(GOMP_task)

/* What GCC makes of a task's body. */
void body(void) __asm__("main._omp_fn.0");
FUNCTION(body)
