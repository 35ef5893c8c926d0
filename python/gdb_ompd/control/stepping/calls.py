# SPDX-License-Identifier: Apache-2.0
"""The runtime's functions that stepping waits for, by their exported names.

Compilers hand the body of a construct to the runtime as a function; which
argument it is, is part of the interface (kmp.h, libgomp's libgomp_g.h).
"""

from __future__ import annotations

REGION_BODY_ARGUMENT = {
    "__kmpc_fork_call": 2,
    "__kmpc_fork_call_if": 2,
    "__kmpc_fork_teams": 2,
    "GOMP_parallel": 0,
    "GOMP_parallel_start": 0,
    "GOMP_parallel_sections": 0,
    "GOMP_parallel_reductions": 0,
    "GOMP_parallel_loop_static": 0,
    "GOMP_parallel_loop_dynamic": 0,
    "GOMP_parallel_loop_guided": 0,
    "GOMP_parallel_loop_runtime": 0,
    "GOMP_parallel_loop_nonmonotonic_dynamic": 0,
    "GOMP_parallel_loop_nonmonotonic_guided": 0,
    "GOMP_parallel_loop_nonmonotonic_runtime": 0,
    "GOMP_parallel_loop_maybe_nonmonotonic_runtime": 0,
    "GOMP_teams_reg": 0,
}
TASK_BODY_ARGUMENT = {"GOMP_task": 0, "GOMP_taskloop": 0, "GOMP_taskloop_ull": 0}
# clang's code hands over a record, made before, that holds the body.
TASK_RECORD_ARGUMENT = {
    "__kmpc_omp_task": 2,
    "__kmpc_omp_task_parts": 2,
    "__kmpc_omp_task_with_deps": 2,
    "__kmpc_omp_task_begin_if0": 2,
    "__kmpc_taskloop": 2,
    "__kmpc_taskloop_5": 2,
}
# Of a ``kmp_task_t`` compilers know: a pointer to shared variables, then the body's.
BODY_IN_RECORD = 8
BODY_ARGUMENT = REGION_BODY_ARGUMENT | TASK_BODY_ARGUMENT

# clang's code calls a serialized region's body itself, after this.
SERIALIZED_BEGIN = "__kmpc_serialized_parallel"

# Where a thread waits for others. With scheduler-locking "step" GDB's own
# commands hold those back even while a call is stepped over.
WAITS = frozenset(
    {
        "__kmpc_barrier",
        "__kmpc_cancel_barrier",
        "__kmpc_omp_taskwait",
        "__kmpc_omp_taskwait_deps_51",
        "__kmpc_omp_wait_deps",
        "__kmpc_end_taskgroup",
        "__kmpc_critical",
        "__kmpc_critical_with_hint",
        "__kmpc_ordered",
        "__kmpc_reduce",
        "__kmpc_copyprivate",
        "__kmpc_doacross_wait",
        "GOMP_barrier",
        "GOMP_taskwait",
        "GOMP_taskwait_depend",
        "GOMP_taskgroup_end",
        "GOMP_critical_start",
        "GOMP_critical_name_start",
        "GOMP_ordered_start",
        "GOMP_loop_end",
        "GOMP_sections_end",
        "GOMP_single_copy_start",
    }
)

HANDED_OVER = BODY_ARGUMENT.keys() | TASK_RECORD_ARGUMENT.keys() | {SERIALIZED_BEGIN}
MAY_WAIT = WAITS | BODY_ARGUMENT.keys() | TASK_RECORD_ARGUMENT.keys()
KNOWN = WAITS | HANDED_OVER

# The registers of integer arguments (the psABIs), in GDB's names.
ARGUMENT_REGISTERS = {
    "i386:x86-64": ("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    "aarch64": ("x0", "x1", "x2", "x3", "x4", "x5"),
}
