# SPDX-License-Identifier: Apache-2.0
"""Letting the program run from inside a command: to marks, breakpoints of the command's own,
and what GDB reports meanwhile.

A command runs the program several times and must know each time who stopped it. That is one of its
own marks, the end of a step, or something the user must see.
"""

from __future__ import annotations

from contextlib import nullcontext
from enum import Enum
from typing import Any, Iterable, NamedTuple, Optional

import gdb

from ..._native import unbroken
from ...errors import OmpdToolError
from ...host.inlined import physical
from ...host.selection import level_of, setting
from ...model import Location
from ...render.words import place
from ...host.sessions.session import Session
from ..styles import current_style
from ..frame_filter import body_name
from ..hits import Hits
from ..shown_frame import show_frame


class MarkRole(Enum):
    """What it means that a thread has come to a mark."""

    CALL = "call"  # it calls the runtime
    JUMP = "jump"  # it goes to the runtime by the jump that ends the user's function
    BODY = "body"  # it begins to execute a construct's body
    END = "end"  # it returns from a body to the runtime
    # It comes back to the user's frame, not an inlined one: the call may have been the last of
    # what was inlined.
    RETURN = "return"
    SYSTEM = "system"  # it calls a function of the system's
    STATEMENT = "statement"  # it comes to a line on which GDB's own step might not end
    CONSTRUCT = "construct"  # it comes to code of a construct, where no step must end


class StopMark(gdb.Breakpoint):
    """Stops one thread at an address. CALLEE is the runtime's function there.

    Never listed, never announced, for one thread only and, where the thread comes
    back to a frame, for that frame only: a recursive call passes. Of a CALL the FRAME is the one
    that calls.
    """

    def __init__(
        self,
        role: MarkRole,
        address: int,
        thread: gdb.InferiorThread,
        frame: Optional[gdb.Frame] = None,
        callee: str = "",
    ) -> None:
        super().__init__(f"*{address}", internal=True)
        self.silent = True
        self.thread = thread.global_num
        self.role = role
        self.callee = callee
        self._frame = frame
        # GDB may have several names for the code of one function of a runtime's, and then takes
        # its frame for another one when the body has returned to it.
        is_runtimes = frame is not None and role in (MarkRole.END, MarkRole.JUMP)
        self._pointer = _stack_pointer(frame) if is_runtimes else None
        self._caller = frame.older() if frame is not None and role is MarkRole.CALL else None

    @unbroken
    def stop(self) -> bool:
        """Stop, unless this is another call of the frame's function."""
        newest = gdb.newest_frame()
        if self.role is MarkRole.JUMP:  # the code there may be called, too
            return _stack_pointer(newest.older()) == self._pointer
        if self._pointer is not None:
            return _stack_pointer(newest) == self._pointer
        if self.role is MarkRole.CALL and self._frame is not None:
            # The call may be a jump, with which the frame's function ends.
            caller = newest.older()
            return caller is not None and physical(caller) in (self._frame, self._caller)
        return self._frame is None or physical(newest) == self._frame


def _stack_pointer(frame: Optional[gdb.Frame]) -> Optional[int]:
    return None if frame is None else int(frame.read_register("sp"))


class Marks:
    """The marks of one command, all removed at the end of its block."""

    def __init__(self) -> None:
        self._set: list[StopMark] = []

    def __enter__(self) -> "Marks":
        # The program executes another one: no address means what it did.
        gdb.events.clear_objfiles.connect(self._forget)
        return self

    def __exit__(self, *_error: object) -> None:
        gdb.events.clear_objfiles.disconnect(self._forget)
        self.clear()

    def at(
        self,
        role: MarkRole,
        address: int,
        thread: gdb.InferiorThread,
        frame: Optional[gdb.Frame] = None,
        callee: str = "",
    ) -> None:
        """Mark ADDRESS; a body, a statement or code of a construct is marked once. FRAME is the one
        that is to be there or, of a jump, that has called the function which ends with it."""
        spec = f"*{address}"
        if role not in (MarkRole.BODY, MarkRole.CONSTRUCT, MarkRole.STATEMENT) or all(
            mark.role is not role or mark.location != spec for mark in self._set
        ):
            with setting("language", "c"):  # in Modula-2 no number is as large as an address
                self._set.append(StopMark(role, address, thread, frame, callee))

    def clear(self, *roles: MarkRole) -> None:
        """Remove the marks of these roles, of all roles if none is named."""
        going = [mark for mark in self._set if not roles or mark.role in roles]
        self._set = [mark for mark in self._set if mark not in going]
        for mark in going:
            if mark.is_valid():
                mark.delete()

    @unbroken
    def _forget(self, _event: Any) -> None:
        self.clear()


class Why(Enum):
    """Why the program is not running any more."""

    STEPPED = "stepped"  # GDB's step ended as steps do
    MARK = "mark"  # a mark of ours was reached
    OTHERS = "others"  # another thread has come to a breakpoint of the user's
    USERS = "users"  # the user's breakpoint, a signal, Ctrl-C: theirs to see
    GONE = "gone"  # the program ended


class StopReport(NamedTuple):
    """One stop, and the marks reached at it."""

    why: Why
    marks: tuple[StopMark, ...] = ()


class Reports:
    """Listens to GDB inside its block."""

    def __init__(self, thread: gdb.InferiorThread) -> None:
        self._inferior, self._thread = thread.inferior, thread
        self._last: Optional[StopReport] = None
        self._hits = Hits()
        self.users: list[gdb.Breakpoint] = []  # those that have stopped the program last

    def __enter__(self) -> "Reports":
        self._hits = Hits()
        gdb.events.stop.connect(self._stopped)
        gdb.events.exited.connect(self._exited)
        return self

    def __exit__(self, *_error: object) -> None:
        gdb.events.stop.disconnect(self._stopped)
        gdb.events.exited.disconnect(self._exited)

    def take(self) -> StopReport:
        """Return the last report, and forget it. Without one GDB did not run."""
        report, self._last = self._last, None
        return report or StopReport(Why.USERS)

    @unbroken
    def _exited(self, event: Any) -> None:
        if event.inferior == self._inferior:
            self._last = StopReport(Why.GONE)

    @unbroken
    def _stopped(self, event: Any) -> None:
        self.users = []
        if isinstance(event, gdb.BreakpointEvent):
            self._last = self._at_breakpoints(event.breakpoints)
        elif isinstance(event, gdb.SignalEvent):
            self._last = StopReport(Why.USERS)
        else:
            self._last = StopReport(Why.STEPPED)
        self._hits = Hits()

    def _at_breakpoints(self, breakpoints: Iterable[gdb.Breakpoint]) -> StopReport:
        """Judge a stop at breakpoints."""
        marks = []
        for each in breakpoints:
            if isinstance(each, StopMark):
                marks.append(each)
            elif self._hits.has_stopped(each):
                self.users.append(each)
        if self.users:
            is_own = gdb.selected_thread() == self._thread
            return StopReport(Why.USERS if is_own else Why.OTHERS)
        return StopReport(Why.MARK, tuple(marks)) if marks else StopReport(Why.USERS)


# Thread and address of a stop at a mark. From there GDB 13 steps into an inlined
# function without a word: nothing runs, and it holds on to the mark's silence.
_silent_stop: list[tuple[int, int]] = []


class Runner:
    """Runs the selected thread. What stops it at last GDB writes; at marks it is
    silent. What GDB forbids raises OmpdToolError in GDB's words."""

    def __init__(self, reports: Reports, session: Session) -> None:
        self._reports = reports
        self._session = session
        self._known: gdb.Frame = gdb.newest_frame()  # the frame that the user saw last
        self._is_unsaid = False  # the last step has ended without a word of GDB's

    def step(self, command: str) -> StopReport:
        """Let GDB "step" or "next".

        GDB names the frame in which a step ends if it is another one than that in which it
        began. Where the step begins in a frame that the user has not seen yet, GDB is told to name
        it in any case. But a construct's body is named here, before the step, as in "ompd bt".
        """
        frame = gdb.newest_frame()
        unseen, self._known = frame != self._known, frame
        names = unseen and not self._name_body(with_line=False)
        place = _place()
        unsaid = place in _silent_stop
        with setting("print frame-info", "source-and-location") if names else nullcontext():
            report = self._run(command)
        self._is_unsaid = unsaid and report.why is Why.STEPPED and _place() == place
        return report

    def run(self, alone: bool = False) -> StopReport:
        """Let the program run until something stops it.

        ALONE is for a run that is a part of a step to the user, whose settings may
        hold other threads back in steps.
        """
        held = alone and gdb.parameter("scheduler-locking") == "step"
        with setting("scheduler-locking", "on") if held else nullcontext():
            return self._run("continue")

    def end_step(self) -> None:
        """Write where the last step has ended, if GDB has not."""
        if self._is_unsaid:
            self.show()

    def show(self) -> None:
        """Write the selected frame at a stop at a mark, as GDB does at a step's end."""
        named = gdb.selected_frame() == self._known or self._name_body(with_line=True)
        with setting("print frame-info", "source-line" if named else "auto"):
            show_frame()
        _execute("display")

    def _name_body(self, with_line: bool) -> bool:
        """Write which construct's body the selected frame is and where, if it is one; tell
        whether it is."""
        frame = gdb.selected_frame()
        name = body_name(self._session, frame)
        if name is None:
            return False
        sal = frame.find_sal()
        file, line = sal.symtab and sal.symtab.filename, sal.line if with_line else None
        where = place(Location(name, file, line, frame.pc()))
        number = f"#{level_of(frame)}  " if level_of(frame) else ""
        gdb.write(number + current_style().paint(where) + "\n")
        return True

    def _run(self, command: str) -> StopReport:
        try:
            _execute(command)
        except gdb.error as error:
            raise OmpdToolError(str(error)) from error
        report = self._reports.take()
        _silent_stop.clear()
        if report.why is Why.MARK:
            _silent_stop.append(_place())
        return report


def _execute(command: str) -> None:
    """Give GDB a command that the user has not given: "set trace-commands" is for theirs."""
    with setting("trace-commands", False):
        gdb.execute(command)


def _place() -> tuple[int, int]:
    return gdb.selected_thread().num, gdb.newest_frame().pc()
