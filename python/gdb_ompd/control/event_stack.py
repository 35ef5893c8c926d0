# SPDX-License-Identifier: Apache-2.0
"""What the stack says at the runtime's event function: who announced what, from where.

Read inside breakpoint conditions too, so that it asks for nothing but frames and
program counters, the dearest of which come last: who announces is one frame up,
the user's code three to five. What is learned of an address is kept by address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional

import gdb

from ..code_map import Code, CodeMap
from ..entry_points import OWN_PREFIX

MAX_FRAMES = 200
MAX_STACK = 1 << 16  # the runtime's own functions need less between two of the user's
WORD = 8
WORDS = 0xFFFFFFFFFFFFFFFF
GCC_PREFIX = "GOMP_"
GCC_END = "GOMP_parallel_end"
ENTRY_PREFIXES = ("__kmpc_", GCC_PREFIX)
FORK_TEAMS = "__kmpc_fork_teams"
FORK_CALL = "__kmp_fork_call"
# The runtime's functions that call a region's or a task's body.
CALL_BODIES = frozenset(
    {"__kmp_invoke_microtask", "__kmp_invoke_task", "__kmp_GOMP_microtask_wrapper"}
)
# Registers that a function leaves as it found them, by GDB's name of the architecture
# (System V ABI for x86-64, AAPCS64).
CALLEE_SAVED = {
    "i386:x86-64": ("rbx", "rbp", "r12", "r13", "r14", "r15"),
    "aarch64": tuple(f"x{number}" for number in range(19, 30)),
}


@dataclass(frozen=True, slots=True)
class Caller:
    """The user's code that called the runtime: its FRAME, the return address PC, and
    the runtime's function ENTRY that it called.

    BODY is the runtime's frame that called a construct's body, if one is between:
    then the body has left no frame, since it ends with a jump into the runtime.
    """

    frame: gdb.Frame
    pc: int
    entry: str
    body: Optional[gdb.Frame]


def announcer() -> Optional[gdb.Frame]:
    """Return the runtime's frame that called the event function."""
    frame: Optional[gdb.Frame] = gdb.newest_frame().older()
    return frame


def frames_above(frame: Optional[gdb.Frame]) -> Iterator[gdb.Frame]:
    """Yield FRAME and what called it; ends where unwinding does."""
    for _ in range(MAX_FRAMES):
        if frame is None:
            return
        yield frame
        try:
            frame = frame.older()
        except gdb.error:
            return


def caller(code: CodeMap, announcer: Optional[gdb.Frame]) -> Optional[Caller]:
    """Return the innermost user code above the announcer, None on a thread that has
    none: a worker's stack begins in the runtime."""
    below: Optional[gdb.Frame] = None
    body: Optional[gdb.Frame] = None
    for each in frames_above(announcer):
        pc = each.pc()
        if code.is_user(pc):
            entry = (below.name() if below is not None else None) or ""
            return Caller(each, pc, entry.removeprefix(OWN_PREFIX), body)
        if body is None and below is not None and calls_body(each, below):
            body = each
        below = each
    return None


def entry_below_body(announcer: gdb.Frame) -> Optional[gdb.Frame]:
    """Return the runtime's frame that a body has jumped into, instead of calling it:
    the one right below the innermost frame that calls bodies."""
    below = announcer
    for each in frames_above(announcer.older()):
        if calls_body(each, below):
            return below
        below = each
    return None


def calls_body(frame: gdb.Frame, below: gdb.Frame) -> bool:
    """Tell whether what a runtime's FRAME called was a construct's body, where the
    stack shows BELOW: an entry point that none of the runtime's functions calls."""
    name = frame.name() or ""
    if name in CALL_BODIES:
        return True
    called = (below.name() or "").removeprefix(OWN_PREFIX)
    return is_of_gcc(name) and is_of_gcc(called) and not called.startswith(GCC_END)


def is_of_gcc(name: str) -> bool:
    """Tell whether NAME is an entry point for GCC's code."""
    return name.removeprefix(OWN_PREFIX).startswith(GCC_PREFIX)


def is_entry_points_own(code: CodeMap, frame: gdb.Frame) -> bool:
    """Tell whether an entry point for GCC's code announces, and not what it calls.

    ``GOMP_parallel_end`` and ``GOMP_parallel_start`` do. As that is the last thing
    they do, a compiler makes it a jump, and the caller's frame is seen instead.
    """
    if code.code_at(frame.pc()) is not Code.RUNTIME:
        return True
    return is_of_gcc(frame.name() or "")


def is_team_of_league(at: Optional[Caller], announcer: gdb.Frame, begins: bool) -> bool:
    """Tell the event of one team of a league from the league's, and from a region's.

    On a worker nothing but runtime functions that nobody else calls is above it. On
    the thread that met the ``teams`` construct both the league and its first team
    have the same caller, but the league's call is then still under way.
    """
    if at is not None and (at.entry != FORK_TEAMS or at.body is not None):
        return False
    names = []
    for each in frames_above(announcer):
        if at is not None and each == at.frame:
            break
        names.append((each.name() or "").removeprefix(OWN_PREFIX))
    if at is None:
        return not any(name.startswith(ENTRY_PREFIXES) for name in names)
    return names.count(FORK_CALL) > (1 if begins else 0)


def saved_registers(frame: gdb.Frame) -> list[int]:
    """Return what FRAME has in its callee-saved registers, each value once."""
    names = CALLEE_SAVED.get(frame.architecture().name(), ())
    values = (int(frame.read_register(name)) & WORDS for name in names)
    return list(dict.fromkeys(values))


def pointers_below(announcer: gdb.Frame, end: Optional[gdb.Frame]) -> Iterator[int]:
    """Yield what can be a pointer in the announcer's registers, and on the stack from
    its frame to the frame END."""
    yield from saved_registers(announcer)
    if end is None:
        return
    first = int(announcer.read_register("sp")) & WORDS
    last = int(end.read_register("sp")) & WORDS
    if 0 < last - first <= MAX_STACK:
        yield from pointers(gdb.selected_inferior().read_memory(first, last - first).tobytes())


def pointers(memory: bytes) -> Iterator[int]:
    """Yield the words of MEMORY that can be addresses in a user's program."""
    for at in range(0, len(memory) - WORD + 1, WORD):
        value = int.from_bytes(memory[at : at + WORD], "little")
        if 4096 <= value < 1 << 47:
            yield value
