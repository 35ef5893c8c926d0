# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what native code reads of all threads' stacks, beside what GDB says of
each of them."""

from __future__ import annotations

from typing import Any

import gdb
from gdb_ompd._native import ThreadPlace
from gdb_ompd.host.sessions.registry import session_of
from gdb_ompd.host.selection import kept_selection
from gdb_ompd.host.sessions.stacks import GdbStacks


def compared() -> dict[str, Any]:
    """Return how many threads' places native code read and how many program counters, and
    a line for each difference from what GDB says."""
    session = session_of()
    stacks = session.files.new_stacks()
    files = session.files
    target, reader, code = files._target, files.wait_reader(), files.code_map()
    inferior = gdb.selected_inferior()
    by_gdb = GdbStacks(inferior, target, files.sources, reader, code, None, target.threads)
    numbers = sorted(thread.num for thread in gdb.selected_inferior().threads())
    said = stacks.places(numbers)
    chains = stacks.native.addresses(numbers)
    shared = sum(n in chains and _is_told(said[n], chains[n]) for n in numbers)
    differences: list[str] = []
    with kept_selection():
        for number in numbers:
            frames = _frames(by_gdb, number)  # GDB's end with main
            unwound = stacks.native.unwound(number)[: len(frames)]
            if unwound and unwound != frames:
                differences.append(f"thread {number}: its stack's frames are not GDB's")
            own = by_gdb.places([number])[number]
            if own != said[number]:
                differences.append(
                    f"thread {number}: {said[number].wait} where GDB shows {own.wait}"
                )
            if number in chains and _pcs(stacks, number)[: len(chains[number])] != chains[number]:
                differences.append(f"thread {number}: {chains[number]} is not GDB's stack")
    return {
        "shared": shared,
        "addresses": sum(map(len, chains.values())),
        "differences": differences,
    }


def _is_told(place: ThreadPlace, pcs: list[int]) -> bool:
    """Tell whether a thread's place is that of the frames which native code looks at first."""
    location = place.wait.location
    return location is None or location.pc == pcs[-1]


def _frames(stacks: GdbStacks, gdb_num: int) -> list[tuple[int, int]]:
    """Return program counters and stack pointers, by GDB."""
    frames = (f for f in stacks.frames.of(gdb_num) if f.type() == gdb.NORMAL_FRAME)
    return [(frame.pc(), int(frame.read_register("sp"))) for frame in frames]


def _pcs(stacks: GdbStacks, gdb_num: int) -> list[int]:
    frames = stacks.frames.of(gdb_num)
    return [frame.pc() for frame in frames if frame.type() == gdb.NORMAL_FRAME]
