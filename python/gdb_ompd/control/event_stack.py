# SPDX-License-Identifier: Apache-2.0
"""What the stack says at the runtime's event function: who announced what, from where.

Read inside breakpoint conditions too, thousands of times in a run, so that it asks
for nothing but program counters, which native code unwinds where it can. What these mean
is asked once for each sequence of them: an event mostly comes the way it came before.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple, Optional

import gdb

from .._native import CodeMap, RuntimeFunction
from ..host.selection import frames_from
from ..stop.session import Session

WORDS = 0xFFFFFFFFFFFFFFFF
# Roles of a runtime's functions: what they do.
FORKS = "forks"
LEAGUE = "begins league"
ENDS_REGION = "ends region"
CALL_BODIES = frozenset({"calls body", "wraps body", "executes task"})
# Registers that a function leaves as it found them, by GDB's name of the architecture
# (System V ABI for x86-64, AAPCS64).
CALLEE_SAVED = {
    "i386:x86-64": ("rbx", "rbp", "r12", "r13", "r14", "r15"),
    "aarch64": tuple(f"x{number}" for number in range(19, 30)),
}


class Shape(NamedTuple):
    """FUNCTIONS are the runtime's above the event function, up to other code,
    which IS_BELOW_SYSTEM: what the system has called went to the runtime with a jump. BODY is
    the place of the one that called a construct's body, None if none did: such a body has left
    no frame, since it ends with a jump."""

    functions: tuple[RuntimeFunction, ...]
    body: Optional[int]
    is_below_system: bool


class EventStacks:
    """What is known of one inferior's stacks at events."""

    def __init__(self, session: Session) -> None:
        self.code, _ = session.places()
        self.shapes: dict[tuple[int, ...], Shape] = {}
        self._unwinder = session.files.new_unwinder()

    def callers(self, frame: gdb.Frame) -> Optional[tuple[int, ...]]:
        """Return the program counters of FRAME's callers up to the user's code, None where
        only GDB can unwind it."""
        if self._unwinder is None:
            return None
        sp, bp = read_register(frame, "rsp"), read_register(frame, "rbp")
        found = self._unwinder.callers(frame.pc(), sp, bp)
        return None if found is None else tuple(found)


class EventStack:
    """The selected thread's stack, from the function that announced an event to the
    innermost user code, where the thread has any: a worker's begins in the runtime.

    GDB's frames are found when they are asked for: where the event came a way that is
    known already, the rest needs none.
    """

    def __init__(self, stacks: EventStacks) -> None:
        self._stacks = stacks
        self._frames: Optional[list[gdb.Frame]] = None
        pcs = stacks.callers(gdb.newest_frame())
        if pcs is None:
            pcs = tuple(frame.pc() for frame in self._all_frames())
        self.pcs = pcs
        ends_in_user = bool(pcs) and stacks.code.is_user(pcs[-1])
        key = pcs[:-1] if ends_in_user else pcs
        if key not in stacks.shapes:
            frames = self._all_frames()
            stacks.shapes[key] = _shape(stacks.code, frames[:-1] if ends_in_user else frames)
        self.shape = stacks.shapes[key]
        # Whether the user's code is what the runtime's frames return to.
        self.has_user = ends_in_user and not self.shape.is_below_system
        self.pc = pcs[-1] if self.has_user else 0  # where the user's code goes on

    def _all_frames(self) -> list[gdb.Frame]:
        if self._frames is None:
            self._frames = []
            for frame in frames_from(gdb.newest_frame().older()):
                self._frames.append(frame)
                if self._stacks.code.is_user(frame.pc()):
                    break
        return self._frames

    @property
    def frames(self) -> list[gdb.Frame]:
        """The runtime's frames, the announcer's first."""
        return self._all_frames()[: len(self.shape.functions)]

    @property
    def caller(self) -> Optional[gdb.Frame]:
        """The frame that they return to, which is the system's where the user's is gone."""
        return next(iter(self._all_frames()[len(self.shape.functions) :]), None)

    @property
    def user(self) -> Optional[gdb.Frame]:
        """The user's frame that called the outermost of them."""
        return self.caller if self.has_user else None

    @property
    def announcer(self) -> Optional[gdb.Frame]:
        """The frame that called the event function."""
        return self._all_frames()[0] if self._all_frames() else None

    @property
    def entry(self) -> str:
        """The runtime's function that the user's code called or jumped to, "" if there is none."""
        outermost = self._outermost
        return "" if outermost is None else outermost.name

    @property
    def begins_league(self) -> bool:
        """Whether that begins a league of teams."""
        outermost = self._outermost
        return outermost is not None and outermost.role == LEAGUE

    @property
    def _outermost(self) -> Optional[RuntimeFunction]:
        outermost = self.shape.functions[-1] if self.shape.functions else None
        is_entry = outermost is not None and (self.has_user or outermost.is_entry)
        return outermost if is_entry else None

    @property
    def body_has_frame(self) -> bool:
        """Whether the user's code is what called the runtime for this event."""
        return self.has_user and self.shape.body is None

    @property
    def entry_without_body(self) -> Optional[gdb.Frame]:
        """The frame of the runtime's that a body without a frame jumped to."""
        return self.frames[self.shape.body - 1] if self.shape.body is not None else None

    @property
    def is_entry_points_own(self) -> bool:
        """Whether an entry point for GCC's code announces, and not what it calls.

        Those that begin and end a region by two calls do, as the last thing they do: a compiler
        makes it a jump, and the caller's frame is seen instead.
        """
        return not self.shape.functions or self.shape.functions[0].is_of_gcc

    def is_team_of_league(self, begins: bool) -> bool:
        """Tell the event of one team of a league from the league's, and from a region's.

        On a worker nothing is above it that the user's code has called.
        On the thread that met the ``teams`` construct both the league and its first
        team have the same caller, but the league's call is then still under way.
        """
        if self.shape.body is not None:
            return False
        if not self.has_user and not self.entry:
            return True
        forks = sum(each.role == FORKS for each in self.shape.functions)
        return self.begins_league and forks > (1 if begins else 0)

    def gcc_call(self) -> Optional[tuple[int, int]]:
        """Return what tells a call of GCC's code from others of the thread: stack
        pointer and return address. None for other code."""
        functions, body = self.shape.functions, self.shape.body
        below = len(functions) if body is None else body
        if below and not functions[below - 1].is_of_gcc:
            return None
        frame = self.caller if body is None else self.frames[body]
        return (stack_pointer(frame), frame.pc()) if frame is not None else None


def _shape(code: CodeMap, frames: list[gdb.Frame]) -> Shape:
    own = list(itertools.takewhile(lambda frame: code.code_at(frame.pc()) == "runtime", frames))
    called = tuple(RuntimeFunction(frame.name()) for frame in own)
    bodies = (at for at in range(1, len(called)) if _calls_body(called[at], called[at - 1]))
    return Shape(called, next(bodies, None), len(own) < len(frames))


def _calls_body(function: RuntimeFunction, below: RuntimeFunction) -> bool:
    """Tell whether what a runtime's FUNCTION called was a construct's body, where the
    stack shows BELOW: an entry point that none of the runtime's functions calls."""
    if function.role in CALL_BODIES:
        return True
    return function.is_of_gcc and below.is_of_gcc and below.role != ENDS_REGION


def stack_pointer(frame: gdb.Frame) -> int:
    """Return FRAME's stack pointer."""
    return read_register(frame, "sp")


def read_register(frame: gdb.Frame, name: str) -> int:
    """Return a register's value in FRAME, as an unsigned number."""
    return int(frame.read_register(name)) & WORDS


def saved_registers(frame: gdb.Frame) -> list[int]:
    """Return what FRAME has in its callee-saved registers, each value once."""
    names = CALLEE_SAVED.get(frame.architecture().name(), ())
    return list(dict.fromkeys(read_register(frame, name) for name in names))


class GccEnds:
    """Remembers, by thread, the call whose region's end was announced already."""

    def __init__(self) -> None:
        self._announced: dict[int, tuple[int, int]] = {}

    def counts(self, stack: EventStack) -> bool:
        """Tell whether this is the first announcement of a region's end."""
        call = stack.gcc_call()
        if call is None:
            return True  # not of GCC's code
        thread = gdb.selected_thread().global_num
        known = self._announced.pop(thread, None)
        if not stack.is_entry_points_own:  # its own comes last
            self._announced[thread] = call
        return known != call
