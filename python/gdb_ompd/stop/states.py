# SPDX-License-Identifier: Apache-2.0
"""One answer from two: the state that the runtime recorded, and what the stack shows.

LLVM's runtime records no waiting for tasks, one state for locks, criticals, atomics
and reductions, and for some barriers of GCC's code one of its own; GCC's records none.
There the stack corrects it. Where both are plain and differ, the stack is right, being of this
moment, and that is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

from ..model import OMP_KINDS, Thread, WaitsFor
from ..model.waits import BARRIERS, Kind, MUTEXES, of_several, RUNTIME, told_apart, UNNAMED, Wait

if TYPE_CHECKING:
    from .places import ThreadPlace
    from .system_calls import Outside

# A thread's state, what it waits for, the function that it is in outside of the user's code, and
# how runtime and stack differ.
_Completed = tuple[Optional[str], Optional[WaitsFor], Optional[str], Optional[str]]

# OMPT's state of each kind (OpenMP 5.0, section 4.4.4.26). Those left out have none of
# their own: what the runtime says stays.
STATES = {
    Kind.EXPLICIT_BARRIER: "wait_barrier_explicit",
    Kind.LOOP_BARRIER: "wait_barrier_implicit_workshare",
    Kind.SECTIONS_BARRIER: "wait_barrier_implicit_workshare",
    Kind.SINGLE_BARRIER: "wait_barrier_implicit_workshare",
    Kind.WORKSHARING_BARRIER: "wait_barrier_implicit_workshare",
    Kind.REGION_BARRIER: "wait_barrier_implicit_parallel",
    Kind.NOT_BEGUN: "overhead",
    Kind.CRITICAL: "wait_critical",
    Kind.LOCK: "wait_lock",
    Kind.NEST_LOCK: "wait_lock",
    Kind.ATOMIC: "wait_atomic",
    Kind.ORDERED: "wait_ordered",
    Kind.DOACROSS: "wait_ordered",
    Kind.TASKWAIT: "wait_taskwait",
    Kind.DEPENDENCE: "wait_taskwait",
    Kind.TASKGROUP: "wait_taskgroup",
    Kind.TASKLOOP: "wait_taskgroup",
    Kind.TARGET: "wait_target",
}
OWN_BARRIER = "wait_barrier_implementation"
# The state is followed by what is waited for, the task and the location.
_STATE, _AFTER, _OUTSIDE = map(Thread._fields.index, ("state", "error", "outside"))
_MUTEX_STATES = frozenset({"wait_mutex", "wait_lock", "wait_critical", "wait_atomic"})


def state_of(state: Optional[str], wait: Wait, in_runtime: bool, level: int) -> Optional[str]:
    """Return a thread's OMPT state; STATE is what the runtime recorded, if anything."""
    if in_runtime and state in (None, "idle"):
        wait = wait_of(wait, in_runtime, False, state, level)
    if wait.kind is None:
        if in_runtime:
            return state
        if wait.entry_point is not None:
            # A worker is in a region before LLVM's runtime has noted that it is idle no longer,
            # and GCC's notes nothing.
            known = wait.entry_point != UNNAMED or wait.outside == RUNTIME
            unnoted = state == "idle" or (state is None and known)
            return "overhead" if unnoted else state
        # The user's code runs, and LLVM leaves "overhead" after a region in "teams".
        in_work = state is not None and (state.startswith("work") or state == "idle")
        return state if in_work else "work_parallel" if level else "work_serial"
    if wait.kind is Kind.BARRIER and state == OWN_BARRIER:
        return "wait_barrier"
    if wait.kind is Kind.BARRIER and state is None:
        return "wait_barrier"
    return STATES.get(wait.kind, state)


def wait_of(
    wait: Wait, in_runtime: bool, idle: bool, state: Optional[str], level: Optional[int] = None
) -> Wait:
    """Return what a thread of OpenMP's waits for. A worker in no task is at the end of its
    region if the runtime does not say that it is IDLE, nor by its STATE that it works: one
    that has the state of an idle one before its region has ended has come to its end. At LEVEL 0
    there is no region: what the user's code has come to there by a jump is not known."""
    if not in_runtime:
        return wait
    if idle:
        return Wait(Kind.IDLE)
    if level == 0:
        return wait._replace(entry_point=UNNAMED)
    at_end = state is None or state == "idle" or state.startswith("wait_barrier")
    return Wait(Kind.REGION_BARRIER) if at_end else wait


def waits_for(
    wait: Wait, in_runtime: bool, state: Optional[str], level: Optional[int] = None
) -> Optional[WaitsFor]:
    """Return the same of a thread in a region, as a listing has it."""
    found = wait_of(wait, in_runtime, False, state, level)
    return None if found.kind is None else WaitsFor(found.kind.value, found.address, found.name)


def disagreement(state: Optional[str], wait: Wait, in_runtime: bool) -> Optional[str]:
    """Say how the runtime's state differs from what the stack shows, None if the two can
    be true together."""
    if state is None or not state.startswith("wait_") or in_runtime:
        return None
    said = state.removeprefix("wait_").replace("_", " ")
    if wait.kind is None:
        if wait.entry_point is not None:
            return None
        return f"the runtime says it waits ({said}), its stack is in the user's code"
    barrier = state.startswith("wait_barrier")
    if (wait.kind in MUTEXES and state not in _MUTEX_STATES) or (
        wait.kind in BARRIERS and not barrier
    ):
        return f"the runtime says it waits for {said}, its stack for {wait.kind.value}"
    return None


def completed(
    threads: Sequence[Thread],
    places: Mapping[int, ThreadPlace],
    outside: Mapping[int, Outside],
) -> tuple[tuple[Thread, ...], dict[int, str]]:
    """Add to THREADS where they are and what they do OUTSIDE of the user's code, and correct
    states that the runtime does not record. Return them, and how of some, by GDB number, stack
    and runtime differ."""
    found: list[Thread] = []
    differ: dict[int, str] = {}
    last: tuple[Any, ...] = ()
    said: _Completed = (None, None, None, None)
    new = tuple.__new__
    for thread in threads:
        if thread.running or thread.idle:
            found.append(thread)  # an idle worker has no frame of the user's
            continue
        place = places[thread.gdb_num]
        wait, in_runtime, *_ = place
        called = outside.get(thread.gdb_num)
        if thread.level is None and thread.kind not in OMP_KINDS:
            # GCC's runtime lets any thread wait for a lock of OpenMP's.
            own = waits_for(wait, False, None) if wait.kind in MUTEXES else thread.waits_for
            waits, function = _outside(called, own)
            found.append(thread._replace(location=wait.location, waits_for=waits, outside=function))
            continue
        what = place, called, thread.state, thread.level
        if what != last:  # neighbours often wait alike
            last = what
            said = (
                state_of(thread.state, wait, in_runtime, thread.level or 0),
                *_outside(called, waits_for(wait, in_runtime, thread.state, thread.level)),
                disagreement(thread.state, wait, in_runtime),
            )
        state, waits, function, difference = said
        if difference is not None:
            differ[thread.gdb_num] = difference
        ends = state, waits, thread.task, wait.location, *thread[_AFTER:_OUTSIDE], function
        found.append(new(Thread, thread[:_STATE] + ends))
    return _distinct(found), differ


def _distinct(threads: Sequence[Thread]) -> tuple[Thread, ...]:
    """Add the address to a name that means several objects."""
    several = of_several((w.kind, w.name, w.address) for w in (t.waits_for for t in threads) if w)

    def told(thread: Thread) -> Thread:
        waits = thread.waits_for
        if waits is None or not waits.name or waits.address is None:
            return thread
        if (waits.kind, waits.name) not in several:
            return thread
        named = waits._replace(name=told_apart(waits.name, waits.address))
        return thread._replace(waits_for=named)

    return tuple(map(told, threads)) if several else tuple(threads)


def _outside(
    called: Optional[Outside], waits: Optional[WaitsFor]
) -> tuple[Optional[WaitsFor], Optional[str]]:
    """Return what a thread waits for, WAITS if its stack is in the user's code or OpenMP's, and
    the function that it is in outside of these."""
    return (waits, None) if called is None else (called.waits_for, called.function)
