# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what is read of all threads at once, and what they share because they
are at the same place, beside what GDB says of each of them."""

from __future__ import annotations

from typing import Any

import gdb
from gdb_ompd.stop.registry import session_of
from gdb_ompd.stop.shared_looks import SharedLooks
from gdb_ompd.stop.places import Stacks
from gdb_ompd.host.target import kept_selection


def compared() -> dict[str, Any]:
    """Return how many looks were shared, of how many stacks the begun regions are kept, how many program counters the unwind
    tables gave, and a line for each difference from what GDB says."""
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
    begun, wrong = _begun(looks, stacks, numbers)
    differences += wrong
    return {
        "shared": len(shared),
        "begun": begun,
        "addresses": sum(map(len, chains.values())),
        "differences": differences,
    }


def _begun(looks: SharedLooks, stacks: Stacks, numbers: list[int]) -> tuple[int, list[str]]:
    """Count the stacks of which the begun regions are kept, and say where GDB shows others."""
    kept, wrong = 0, []
    with kept_selection():
        for number in numbers:
            said, own = looks.begun_regions(number, stacks), stacks.begun_regions(number)
            pcs = looks._whole_stack(number)
            kept += pcs is not None and pcs in looks._begun
            if list(said) != own:
                wrong.append(f"thread {number}: began {said} where GDB shows {own}")
    return kept, wrong


def _pcs(stacks: Stacks, gdb_num: int) -> tuple[int, ...]:
    frames = stacks.frames(gdb_num)
    return tuple(frame.pc() for frame in frames if frame.type() == gdb.NORMAL_FRAME)
