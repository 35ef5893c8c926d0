# SPDX-License-Identifier: Apache-2.0
"""GDB's part of the stacks at the runtime's event functions; native code tells what they say."""

from __future__ import annotations

from typing import Optional

import gdb

from .. import _native
from ..host.selection import frames_from
from ..host.sessions.session import Session

WORDS = 0xFFFFFFFFFFFFFFFF


class EventStacks:
    """What is known of one inferior's stacks at events."""

    def __init__(self, session: Session) -> None:
        self.code, _ = session.places()
        self._unwinder = session.files.new_unwinder()
        self.native = _native.EventWays(session.wait_reader(), self._unwinder)
        self._saved = self.native.saved_registers

    def stack_pointers(self, frame: gdb.Frame) -> tuple[int, int]:
        """Return FRAME's stack and frame pointers, where native code takes these."""
        if self._unwinder is None:
            return 0, 0
        return read_register(frame, "rsp"), read_register(frame, "rbp")

    def saved_registers(self, frame: gdb.Frame) -> list[int]:
        """Return what FRAME has in its callee-saved registers, each value once."""
        return list(dict.fromkeys(read_register(frame, name) for name in self._saved))


class EventStack:
    """The selected thread's stack at an event, by FACTS, with GDB's frames.

    These are found when they are asked for: where the event came a way that is known already, the
    rest needs none.
    """

    def __init__(self, stacks: EventStacks) -> None:
        self._stacks = stacks
        self._frames: Optional[list[gdb.Frame]] = None
        newest = gdb.newest_frame()
        self.facts = stacks.native.at(newest.pc(), *stacks.stack_pointers(newest), self._given)

    def _given(self) -> list[_native.EventFrame]:
        return [_native.EventFrame(frame.pc(), frame.name()) for frame in self._all_frames()]

    def _all_frames(self) -> list[gdb.Frame]:
        if self._frames is None:
            self._frames = []
            for frame in frames_from(gdb.newest_frame().older()):
                self._frames.append(frame)
                if self._stacks.code.is_user(frame.pc()):
                    break
        return self._frames

    def _frame(self, number: Optional[int]) -> Optional[gdb.Frame]:
        frames = self._all_frames()
        return frames[number] if number is not None and number < len(frames) else None

    @property
    def user(self) -> Optional[gdb.Frame]:
        """The user's frame that called the outermost of the runtime's."""
        return self._frame(self.facts.own) if self.facts.has_user else None

    @property
    def announcer(self) -> Optional[gdb.Frame]:
        """The frame that called the event function."""
        return self._frame(0)

    @property
    def entry_frame(self) -> Optional[gdb.Frame]:
        """The runtime's frame that a body without a frame jumped to, the outermost else."""
        entry, own = self.facts.entry_without_body, self.facts.own
        return self._frame(entry if entry is not None else own - 1 if own else None)

    def counts_end(self) -> bool:
        """Tell whether the end of a region is announced for the first time."""
        frame = self._frame(self.facts.caller_of_gcc)
        if frame is None:
            return True
        thread, own = gdb.selected_thread().global_num, self.facts.is_entry_points_own
        return self._stacks.native.counts_end(thread, own, stack_pointer(frame), frame.pc())


def stack_pointer(frame: gdb.Frame) -> int:
    """Return FRAME's stack pointer."""
    return read_register(frame, "sp")


def read_register(frame: gdb.Frame, name: str) -> int:
    """Return a register's value in FRAME, as an unsigned number."""
    return int(frame.read_register(name)) & WORDS
