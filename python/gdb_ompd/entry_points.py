# SPDX-License-Identifier: Apache-2.0
"""The functions by which user code calls an OpenMP runtime, and what they mean.

Exported by libomp for clang's code (``__kmpc_``) and for GCC's (``GOMP_``), so
their names are there on stripped runtimes too.
"""

from __future__ import annotations

from typing import Optional

from .model import WaitsFor

BEGINS_REGION = frozenset(
    {
        "__kmpc_fork_call",
        "__kmpc_fork_call_if",
        "GOMP_parallel",
        "GOMP_parallel_start",
        "GOMP_parallel_sections",
        "GOMP_parallel_reductions",
    }
)
BEGINS_REGION_PREFIX = "GOMP_parallel_loop_"
# What LLVM's debug information calls a function that it exports under GCC's name.
OWN_PREFIX = "__kmp_api_"

# States that LLVM's runtime does not record: it leaves "work_parallel" there.
WAIT_STATES = {
    "__kmpc_omp_taskwait": "wait_taskwait",
    "__kmpc_omp_taskwait_deps_51": "wait_taskwait",
    "__kmpc_omp_wait_deps": "wait_taskwait",
    "GOMP_taskwait": "wait_taskwait",
    "GOMP_taskwait_depend": "wait_taskwait",
    "__kmpc_end_taskgroup": "wait_taskgroup",
    "GOMP_taskgroup_end": "wait_taskgroup",
}
# LLVM 19 takes a barrier that GCC's code calls for one of its own. GCC calls the
# same function at an explicit barrier and at the end of a single construct.
BARRIER_STATES = {
    "GOMP_barrier": "wait_barrier",
    "GOMP_loop_end": "wait_barrier_implicit_workshare",
    "GOMP_sections_end": "wait_barrier_implicit_workshare",
}
WORK = frozenset({"work_parallel", "work_serial"})
OWN_BARRIER = "wait_barrier_implementation"


def waits_for(state: Optional[str]) -> Optional[WaitsFor]:
    """Return what a thread in a state that was found here waits for."""
    if state is None or not state.startswith("wait_"):
        return None
    return WaitsFor("barrier" if "barrier" in state else state.removeprefix("wait_"))


def begins_region(name: str) -> bool:
    """Tell whether the entry point begins a parallel region."""
    name = name.removeprefix(OWN_PREFIX)
    return name in BEGINS_REGION or name.startswith(BEGINS_REGION_PREFIX)


def state_of(state: Optional[str], call: Optional[str], level: int) -> Optional[str]:
    """Return a thread's OMPT state, where its stack knows better than the runtime.

    CALL is the runtime's function that the innermost user frame called, "" for
    a thread that is in user code. LLVM leaves "overhead" after it has begun a
    region in a ``teams`` construct.
    """
    if state is None or call is None:
        return state
    if call == "" and state == "overhead":
        return "work_parallel" if level else "work_serial"
    call = call.removeprefix(OWN_PREFIX)
    if state in WORK:
        return WAIT_STATES.get(call, state)
    return BARRIER_STATES.get(call, state) if state == OWN_BARRIER else state
