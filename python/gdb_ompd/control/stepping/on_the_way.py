# SPDX-License-Identifier: Apache-2.0
"""What a step marks before it begins: where it would end, or run through, in the runtime or in
other code without lines."""

from __future__ import annotations

import gdb

from ..._native import FunctionName
from ...host.inlined import physical
from ...host.sessions.session import Session
from . import calls
from .calls import callees
from .running import MarkRole, Marks
from .stack import SteppedStack, address_has_line, has_line


class OnTheWay:
    """Sets the marks of one command at its steps' beginnings."""

    def __init__(self, session: Session, stack: SteppedStack, marks: Marks) -> None:
        self._session = session
        self._stack = stack
        self._marks = marks

    def mark(self, thread: gdb.InferiorThread, command: str) -> None:
        """Mark the runtime's functions that this step must not end in or run through.

        Where the runtime has debug information GDB steps into each of them.
        """
        locking = gdb.parameter("scheduler-locking")
        frame = self._stack.user_frame()
        if frame is not None and not has_line(frame):
            self._mark_constructs(frame, thread, calls.BARRIERS if locking == "on" else frozenset())
            frame = None
        for name, address in callees(self._session, frame.pc()) if frame is not None else ():
            if command == "step":
                wanted = name in calls.HANDED_OVER or address_has_line(address)
            else:
                wanted = name in calls.REGION_BODY_ARGUMENT and locking in ("on", "step")
            held = {"step": calls.WAITS, "on": calls.BARRIERS}.get(locking, frozenset())
            if wanted or name in held:
                self._marks.at(MarkRole.CALL, address, thread, callee=name)
        if command == "step" and frame is not None and self._stack.in_clang_body():
            self.mark_helpers(frame, thread)
        self._mark_jumps(thread)

    def _mark_constructs(
        self, frame: gdb.Frame, thread: gdb.InferiorThread, others: frozenset[str]
    ) -> None:
        """Mark what the code of FRAME, which has no source, calls for a construct, and OTHERS."""
        wanted = calls.HANDED_OVER | calls.SERIALIZED_END | others
        for name, address in callees(self._session, frame.pc()):
            if name in wanted:
                self._marks.at(MarkRole.CALL, address, thread, physical(frame), name)

    def _mark_jumps(self, thread: gdb.InferiorThread) -> None:
        """Mark where a body goes that ends with a jump to the runtime, or to a function without
        lines: a step would end there."""
        frame = gdb.newest_frame()
        caller = physical(frame).older()
        if caller is None or not self._stack.is_user(frame.pc()):
            return
        code = self._session.code_map()
        jumps: set[int] = set()
        called = (
            code.code_at(caller.pc()) == "runtime"
        )  # or by the user's code, in a serialized region
        in_body = has_line(frame) and (called or FunctionName(frame.name()).is_outlined)
        for jump in self._session.fresh_wait_reader().at(frame.pc()).jumps_out:
            whose, is_lost = code.code_at(jump.target), not address_has_line(jump.target)
            if whose == "user" and is_lost:
                # The stub of a function that nobody has called yet tells nobody which one it is.
                jumps.update(address for _, address in callees(self._session, frame.pc()))
            if whose == "runtime" or (in_body and (is_lost or whose == "system")):
                jumps.update((jump.first, jump.target))
        for address in jumps:
            self._marks.at(MarkRole.JUMP, address, thread, caller)

    def mark_helpers(self, frame: gdb.Frame, thread: gdb.InferiorThread) -> bool:
        """Mark what bodies in the file of FRAME call to find their private variables; tell
        whether there is any."""
        found = self._stack.helpers(frame)
        for address in found:
            self._marks.at(MarkRole.CALL, address, thread)
        return bool(found)
