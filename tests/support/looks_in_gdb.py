# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what threads share because they are at the same place, beside what
GDB's own unwinding of each of them shows."""

from __future__ import annotations

from typing import Any

import gdb
from gdb_ompd.registry import session_of
from gdb_ompd.stacks import Stacks
from gdb_ompd.target import kept_selection


def compared() -> dict[str, Any]:
    """Return how many threads' looks were shared, how many program counters the unwind
    tables gave, and a line for each difference from GDB's."""
    session = session_of()
    files, stacks = session._files, session._stop.stacks()
    numbers = sorted(thread.num for thread in gdb.selected_inferior().threads())
    looks = files.looks()
    looks.read(numbers, stacks)
    chains = looks._addresses(numbers)
    shared = [n for n in numbers if n in chains and looks._looks.get(chains[n]) is not None]
    said = looks.read(numbers, stacks)
    differences: list[str] = []
    with kept_selection():
        for number in numbers:
            own = stacks.look(number)
            if own != said[number]:
                differences.append(f"thread {number}: {said[number]} where GDB shows {own}")
            if number in chains and _pcs(stacks, number)[: len(chains[number])] != chains[number]:
                differences.append(f"thread {number}: {chains[number]} is not GDB's stack")
    return {
        "shared": len(shared),
        "addresses": sum(map(len, chains.values())),
        "differences": differences,
    }


def _pcs(stacks: Stacks, gdb_num: int) -> tuple[int, ...]:
    frames = stacks.frames(gdb_num)
    return tuple(frame.pc() for frame in frames if frame.type() == gdb.NORMAL_FRAME)
