# SPDX-License-Identifier: Apache-2.0
"""Thread states by name, and what they say of waiting (OpenMP 5.0, section 4.4.4.26)."""

from __future__ import annotations

from ... import _native

PREFIX = "ompt_state_"
# States that LLVM's runtime sets and its OMPD library does not enumerate
# (OpenMP 5.1, section 4.4.4.28). They hold where the numbers before them do.
UNNAMED = {0x15: "wait_barrier_implementation", 0x16: "wait_barrier_teams"}
BEFORE_UNNAMED = (0x14, "wait_barrier_explicit")


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
