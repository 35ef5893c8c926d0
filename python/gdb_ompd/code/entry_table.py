# SPDX-License-Identifier: Apache-2.0
"""The runtimes' entry points in which a thread can wait, and where the object is.

An entry point is exported, so that its name is there on stripped runtimes too:
``__kmpc_`` for clang's code, ``GOMP_`` for GCC's, ``omp_`` for the user's.
Argument numbers count from 0, as in LLVM's openmp/runtime/src/kmp.h and GCC's
libgomp/libgomp_g.h; those from 6 on are on the stack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from ..model.waits import Kind


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry point. KIND is None if it does not wait itself, OBJECT the number of
    the argument that is the object, PLACE that of the ``ident_t`` whose flags tell
    which barrier it is."""

    kind: Optional[Kind]
    object: Optional[int] = None
    place: Optional[int] = None


_LOC = Entry(Kind.BARRIER, place=0)
_LOCK = Entry(Kind.LOCK, 0)
_NEST_LOCK = Entry(Kind.NEST_LOCK, 0)
_DOACROSS = Entry(Kind.DOACROSS)
_ATOMIC = Entry(Kind.ATOMIC)
_NOT_WAITING = Entry(None)

BEGINS_REGION = frozenset(
    {
        "__kmpc_fork_call",
        "__kmpc_fork_call_if",
        "__kmpc_fork_teams",
        "GOMP_parallel",
        "GOMP_parallel_end",  # of code in which GOMP_parallel_start began it
        "GOMP_parallel_sections",
        "GOMP_parallel_reductions",
        "GOMP_parallel_loop_static",
        "GOMP_parallel_loop_dynamic",
        "GOMP_parallel_loop_guided",
        "GOMP_parallel_loop_runtime",
        "GOMP_parallel_loop_nonmonotonic_dynamic",
        "GOMP_parallel_loop_nonmonotonic_guided",
        "GOMP_parallel_loop_nonmonotonic_runtime",
        "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
        "GOMP_teams_reg",
    }
)
# Which argument of these is the region's body.
BODY_ARGUMENT = {
    name: 2 if name.startswith("__kmpc_") else 0
    for name in BEGINS_REGION
    if name != "GOMP_parallel_end"
}
# While this is on the stack the region's threads are still being called together.
FORKING = "__kmp_fork_call"
# What calls a region's body in every thread of the team; of GCC's, through a function
# of the runtime's own.
MICROTASK = "__kmp_invoke_microtask"
TASKLOOPS = frozenset(
    {"__kmpc_taskloop", "__kmpc_taskloop_5", "GOMP_taskloop", "GOMP_taskloop_ull"}
)
TASKGROUP_END = "__kmpc_end_taskgroup"
MAKES_TASK = "__kmpc_omp_task_alloc"
SINGLE_STARTS = frozenset({"GOMP_single_start", "GOMP_single_copy_start"})

ENTRIES: dict[str, Entry] = {
    "__kmpc_barrier": _LOC,
    "__kmpc_cancel_barrier": _LOC,
    "__kmpc_barrier_master": _LOC,
    "GOMP_barrier": Entry(Kind.BARRIER),
    "GOMP_barrier_cancel": Entry(Kind.BARRIER),
    "GOMP_loop_end": Entry(Kind.LOOP_BARRIER),
    "GOMP_loop_end_cancel": Entry(Kind.LOOP_BARRIER),
    "GOMP_sections_end": Entry(Kind.SECTIONS_BARRIER),
    "GOMP_sections_end_cancel": Entry(Kind.SECTIONS_BARRIER),
    "__kmpc_critical": Entry(Kind.CRITICAL, 2),
    "__kmpc_critical_with_hint": Entry(Kind.CRITICAL, 2),
    "GOMP_critical_start": Entry(Kind.CRITICAL),
    "GOMP_critical_name_start": Entry(Kind.CRITICAL, 0),
    "omp_set_lock": _LOCK,
    "omp_set_lock_": _LOCK,
    "__kmpc_set_lock": Entry(Kind.LOCK, 2),
    "omp_set_nest_lock": _NEST_LOCK,
    "omp_set_nest_lock_": _NEST_LOCK,
    "__kmpc_set_nest_lock": Entry(Kind.NEST_LOCK, 2),
    "GOMP_atomic_start": _ATOMIC,
    "__kmpc_atomic_start": _ATOMIC,
    "__kmpc_ordered": Entry(Kind.ORDERED),
    "GOMP_ordered_start": Entry(Kind.ORDERED),
    "__kmpc_doacross_wait": _DOACROSS,
    "GOMP_doacross_wait": _DOACROSS,
    "GOMP_doacross_ull_wait": _DOACROSS,
    "__kmpc_reduce": Entry(Kind.REDUCTION, 6),
    "__kmpc_reduce_nowait": Entry(Kind.REDUCTION, 6),
    "__kmpc_end_reduce": Entry(Kind.REDUCTION, 2),
    "__kmpc_omp_taskwait": Entry(Kind.TASKWAIT),
    "GOMP_taskwait": Entry(Kind.TASKWAIT),
    "__kmpc_omp_taskwait_deps_51": Entry(Kind.DEPENDENCE),
    "__kmpc_omp_wait_deps": Entry(Kind.DEPENDENCE),
    "GOMP_taskwait_depend": Entry(Kind.DEPENDENCE),
    TASKGROUP_END: Entry(Kind.TASKGROUP),
    "GOMP_taskgroup_end": Entry(Kind.TASKGROUP),
    "__kmpc_copyprivate": Entry(Kind.COPYPRIVATE),
    "__kmpc_copyprivate_light": Entry(Kind.COPYPRIVATE),
    "GOMP_single_copy_start": Entry(Kind.COPYPRIVATE),
    "GOMP_single_copy_end": Entry(Kind.COPYPRIVATE),
    "GOMP_target": Entry(Kind.TARGET),
    "GOMP_target_ext": Entry(Kind.TARGET),
    "GOMP_single_start": _NOT_WAITING,
    "GOMP_task": _NOT_WAITING,
    FORKING: _NOT_WAITING,
    MICROTASK: _NOT_WAITING,
    **{name: _NOT_WAITING for name in TASKLOOPS},
    **{name: Entry(Kind.REGION_BARRIER) for name in BEGINS_REGION},
}

# ident_t.flags, the second of its 32-bit words (LLVM's kmp.h, KMP_IDENT_BARRIER_*).
PLACE_FLAGS_OFFSET = 4
_EXPLICIT = 0x20
_IMPLICIT_MASK = 0x1C0
_IMPLICIT = {
    0x40: Kind.LOOP_BARRIER,
    0xC0: Kind.SECTIONS_BARRIER,
    0x140: Kind.SINGLE_BARRIER,
    0x1C0: Kind.WORKSHARING_BARRIER,
}


def barrier_kind(flags: int) -> Kind:
    """Return which barrier the flags of an ``ident_t`` mean."""
    if flags & _EXPLICIT:
        return Kind.EXPLICIT_BARRIER
    return _IMPLICIT.get(flags & _IMPLICIT_MASK, Kind.BARRIER)
