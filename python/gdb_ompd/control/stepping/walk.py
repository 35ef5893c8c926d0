# SPDX-License-Identifier: Apache-2.0
"""``ompd step`` and ``ompd next``: GDB's own steps, and where they lead into the
runtime, on to what the user wrote.

GDB steps; a mark at the runtime's functions tells which body a construct hands
over, a mark at the body that this thread executes it. From the runtime the
thread runs to the first of: the body, the frame of the user's that called.
"""

from __future__ import annotations

from typing import Optional

import gdb

from ...errors import OmpdToolError
from ...session import Session
from ...source import is_region_body
from . import calls, exits
from .marks import Mark, Marks, Role
from .reports import Report, Reports, Why
from .running import Runner
from .stack import Stack, address_has_line, physical

# Each hop is a step of GDB's or a run between marks; a line of code has few.
MAX_HOPS = 1000
OTHERS_HELD = (
    "thread {num} has ended its part of the region; the others are held back, so that the"
    " region cannot end: 'set scheduler-locking off', then 'ompd {command}'"
)
OTHERS_NEEDED = (
    "the construct cannot be run as a whole, since the others of its team are held back:"
    " thread {num} is in its body; 'set scheduler-locking off' lets them run"
)


class Walk:
    """One ``ompd step`` or ``ompd next``."""

    def __init__(self, session: Session, command: str) -> None:
        self._session = session
        self._command = command
        self._thread: gdb.InferiorThread = gdb.selected_thread()
        self._stack = Stack(session)
        self._marks = Marks()
        self._home: Optional[gdb.Frame] = None
        self._note: Optional[str] = None

    def run(self, count: int) -> Optional[str]:
        """Step COUNT times, stopping early at what the user must see; write where it
        ended, and return what is to be said about it."""
        with Reports(self._thread) as reports, self._marks:
            self._runner = Runner(reports)
            for _ in range(count):
                if not self._step():
                    break
                self._marks.clear()
            self._runner.show()
        return self._note

    def _step(self) -> bool:
        """Step once; tell whether it ended at a statement of the user's."""
        self._mark_calls()
        report = self._begin()
        for _ in range(MAX_HOPS):
            if self._note is not None or not self._is_ours(report):
                return False
            following = self._follow(report)
            if following is None:
                return True
            report = following
        raise OmpdToolError(f"no statement was reached in {MAX_HOPS} steps; 'ompd step' goes on")

    def _is_ours(self, report: Report) -> bool:
        return report.why in (Why.STEPPED, Why.MARK)

    def _mark_calls(self) -> None:
        """Mark the runtime's functions that this kind of step has to know of."""
        locking = gdb.parameter("scheduler-locking")
        wanted: dict[str, Optional[int]] = {}
        if self._command == "step":
            wanted.update(calls.BODY_ARGUMENT)
        elif locking in ("on", "step"):
            wanted.update(calls.REGION_BODY_ARGUMENT)
        if locking == "step":
            wanted.update(dict.fromkeys(calls.WAITS))
        for address, argument in exits.addresses(self._session, wanted):
            self._marks.at_call(address, self._thread, argument)

    def _begin(self) -> Report:
        if not self._stack.in_runtime():
            return self._execute(self._command)
        frame = self._stack.user_frame()
        if self._command == "step" and frame is not None and self._stack.in_region_call():
            for body in self._stack.region_bodies(frame):
                self._marks.at_body(body, self._thread)
        return self._leave()

    def _execute(self, command: str) -> Report:
        """Let GDB step in the user's code."""
        self._marks.clear(Role.RETURN)
        self._home = physical(gdb.newest_frame())
        return self._runner.step(command)

    def _follow(self, report: Report) -> Optional[Report]:
        """Go on from a stop that is not the user's; None if it is where a step ends."""
        roles = {mark.role for mark in report.marks}
        if Role.BODY in roles:
            return self._enter()
        if Role.RETURN in roles:
            self._thread = gdb.selected_thread()
            return self._execute(self._command)
        if Role.CALL in roles:
            self._note_body(report.marks)
            return self._leave()
        if gdb.selected_thread() != self._thread:
            return None
        if self._stack.in_runtime():
            return self._leave()
        return self._execute(self._command) if self._stack.at_construct() else None

    def _note_body(self, marks: tuple[Mark, ...]) -> None:
        """Mark the body that the frame which steps hands over at its call."""
        callee = gdb.newest_frame()
        caller = callee.older()
        if caller is None or self._home is None or physical(caller) != self._home:
            return
        registers = calls.ARGUMENT_REGISTERS.get(callee.architecture().name(), ())
        for mark in marks:
            if mark.body_argument is not None and mark.body_argument < len(registers):
                body = int(callee.read_register(registers[mark.body_argument]))
                if self._stack.is_user(body) and address_has_line(body):
                    self._marks.at_body(body, self._thread)

    def _enter(self) -> Report:
        """Go on from a body's first instruction to its first statement."""
        if self._command == "next":
            if not exits.others_are_needed(self._session, self._thread):
                self._marks.clear(Role.BODY)
                return self._runner.run()
            self._note = OTHERS_NEEDED.format(num=self._thread.num)
        self._marks.clear()
        return self._execute("step")

    def _leave(self) -> Report:
        """Run from the runtime to the frame that steps, to its caller if it has ended,
        or to a body that is marked."""
        ended = self._home is not None and not self._stack.is_alive(self._home)
        region_ended = ended and is_region_body(self._home_name)
        frame = self._stack.user_frame(self._home)
        thread = self._thread
        ...
        return self._runner.run()
