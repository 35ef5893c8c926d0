# SPDX-License-Identifier: Apache-2.0
"""Thread states by name, and what they say of waiting (OpenMP 5.0, section 4.4.4.26)."""

from __future__ import annotations

from typing import Optional

from ... import _native
from ...model import WaitsFor

PREFIX = "ompt_state_"
# States that LLVM's runtime sets and its OMPD library does not enumerate
# (OpenMP 5.1, section 4.4.4.28). They hold where the numbers before them do.
UNNAMED = {0x15: "wait_barrier_implementation", 0x16: "wait_barrier_teams"}
BEFORE_UNNAMED = (0x14, "wait_barrier_explicit")

# LLVM sets one state for locks, critical sections, atomics and reductions.
WAIT_KINDS = {
    "wait_taskwait": "taskwait",
    "wait_taskgroup": "taskgroup",
    "wait_mutex": "mutex",
    "wait_lock": "mutex",
    "wait_critical": "critical",
    "wait_atomic": "atomic",
    "wait_ordered": "ordered",
}
WITH_ADDRESS = frozenset({"mutex", "critical", "atomic", "ordered"})


def state_names(process: _native.Process) -> dict[int, str]:
    """Return the states' names without their prefix, by number."""
    names = {
        number: name.removeprefix(PREFIX) for number, name in process.enumerate_states().items()
    }
    if names.get(BEFORE_UNNAMED[0]) == BEFORE_UNNAMED[1]:
        for number, name in UNNAMED.items():
            names.setdefault(number, name)
    return names


def state_at_level(state: str, level: int) -> str:
    """Tell work inside of regions from work outside by the level: LLVM mistakes
    the two after a task in a serialized region, and in a ``teams`` construct."""
    if state in ("work_serial", "work_parallel"):
        return "work_parallel" if level else "work_serial"
    return state


def waits_for(state: Optional[str], wait_id: int) -> Optional[WaitsFor]:
    """Say what a thread in STATE waits for; libompd knows no more than this."""
    if state is None:
        return None
    if state.startswith("wait_barrier"):
        return WaitsFor("barrier")
    kind = WAIT_KINDS.get(state)
    if kind is None:
        return None
    return WaitsFor(kind, wait_id or None if kind in WITH_ADDRESS else None)
