# SPDX-License-Identifier: Apache-2.0
"""Marks: breakpoints of a stepping command's own, gone when it ends.

Never listed, never announced, for one thread only and, where the thread comes
back to a frame, for that frame only: a recursive call passes.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Optional

import gdb

from ..._native import unbroken
from ...stop.begun import physical


class Role(Enum):
    """What it means that a thread has come to a mark."""

    CALL = "call"  # it calls the runtime
    JUMP = "jump"  # it goes to the runtime by the jump that ends the user's function
    BODY = "body"  # it begins to execute a construct's body
    END = "end"  # it returns from a body to the runtime
    RETURN = "return"  # it comes back to the user's frame
    SYSTEM = "system"  # it calls the system
    ASIDE = "aside"  # it comes to code that the user did not write


class Mark(gdb.Breakpoint):
    """Stops one thread at an address. CALLEE is the runtime's function there."""

    def __init__(
        self,
        role: Role,
        address: int,
        thread: gdb.InferiorThread,
        frame: Optional[gdb.Frame] = None,
        callee: str = "",
    ) -> None:
        # In decimal, which is a number in all of GDB's languages.
        super().__init__(f"*{address}", internal=True)
        self.silent = True
        self.thread = thread.global_num
        self.role = role
        self.callee = callee
        self._frame = frame
        # GDB may have several names for the code of one function of a runtime's, and then takes
        # its frame for another one when the body has returned to it.
        is_runtimes = frame is not None and role in (Role.END, Role.JUMP)
        self._pointer = _stack_pointer(frame) if is_runtimes else None

    @unbroken
    def stop(self) -> bool:
        """Stop, unless this is another call of the frame's function."""
        newest = gdb.newest_frame()
        if self.role is Role.JUMP:  # the code there may be called, too
            return _stack_pointer(newest.older()) == self._pointer
        if self._pointer is not None:
            return _stack_pointer(newest) == self._pointer
        return self._frame is None or physical(newest) == self._frame


def _stack_pointer(frame: Optional[gdb.Frame]) -> Optional[int]:
    return None if frame is None else int(frame.read_register("sp"))


class Marks:
    """The marks of one command, all removed at the end of its block."""

    def __init__(self) -> None:
        self._set: list[Mark] = []

    def __enter__(self) -> "Marks":
        # The program executes another one: no address means what it did.
        gdb.events.clear_objfiles.connect(self._forget)
        return self

    def __exit__(self, *_error: object) -> None:
        gdb.events.clear_objfiles.disconnect(self._forget)
        self.clear()

    def at_call(self, callee: str, address: int, thread: gdb.InferiorThread) -> None:
        """Mark a function of the runtime."""
        self._set.append(Mark(Role.CALL, address, thread, callee=callee))

    def at_jump(self, address: int, frame: gdb.Frame, thread: gdb.InferiorThread) -> None:
        """Mark a function of the runtime that the one which FRAME called may end with a jump to."""
        self._set.append(Mark(Role.JUMP, address, thread, frame))

    def at_body(self, address: int, thread: gdb.InferiorThread) -> None:
        """Mark a construct's body."""
        self._once(Role.BODY, address, thread)

    def at_aside(self, address: int, thread: gdb.InferiorThread) -> None:
        """Mark code at which a step must not end."""
        self._once(Role.ASIDE, address, thread)

    def at_call_of_system(self, address: int, frame: gdb.Frame, thread: gdb.InferiorThread) -> None:
        """Mark where FRAME, the user's, calls a function of the system's."""
        self._set.append(Mark(Role.SYSTEM, address, thread, frame))

    def at_end(self, frame: gdb.Frame, thread: gdb.InferiorThread) -> None:
        """Mark where FRAME, the runtime's, goes on after the body that it called."""
        self._set.append(Mark(Role.END, frame.pc(), thread, frame))

    def at_return(self, address: int, frame: gdb.Frame, thread: gdb.InferiorThread) -> None:
        """Mark ADDRESS, where FRAME, the user's and not an inlined one, will go on: the
        call may have been the last of what was inlined."""
        self._set.append(Mark(Role.RETURN, address, thread, frame))

    def _once(self, role: Role, address: int, thread: gdb.InferiorThread) -> None:
        spec = f"*{address}"
        if all(mark.role is not role or mark.location != spec for mark in self._set):
            self._set.append(Mark(role, address, thread))

    def clear(self, *roles: Role) -> None:
        """Remove the marks of these roles, of all roles if none is named."""
        going = [mark for mark in self._set if not roles or mark.role in roles]
        self._set = [mark for mark in self._set if mark not in going]
        for mark in going:
            if mark.is_valid():
                mark.delete()

    @unbroken
    def _forget(self, _event: Any) -> None:
        self.clear()
