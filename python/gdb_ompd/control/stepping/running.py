# SPDX-License-Identifier: Apache-2.0
"""Letting the program run from inside a command."""

from __future__ import annotations

from contextlib import nullcontext

import gdb

from ...errors import OmpdToolError
from ...stop.session import Session
from ...render.words import place
from ..announce import current_style
from ..frame_filter import body_name
from .reports import Report, Reports, Why
from ...host.setting import setting

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

    def step(self, command: str, late: bool = False) -> Report:
        """Let GDB "step" or "next".

        GDB names the frame if it is another one than that in which its step began:
        one that the user has not seen yet is named here, before the step, or LATE,
        when GDB has not named another one. A construct's body is named as in "ompd bt".
        """
        frame = gdb.newest_frame()
        unseen, self._known = frame != self._known, frame
        if unseen and self._name_body(with_line=False):
            unseen = False
        if unseen and not late:
            show_location()
        place = _place()
        unsaid = place in _silent_stop
        report = self._run(command)
        if unsaid and report.why is Why.STEPPED and _place() == place:
            self.show()
        elif unseen and late and report.why is Why.STEPPED and gdb.newest_frame() == frame:
            show_location()
        return report

    def run(self, alone: bool = False) -> Report:
        """Let the program run until something stops it.

        ALONE is for a run that is a part of a step to the user, whose settings may
        hold other threads back in steps.
        """
        held = alone and gdb.parameter("scheduler-locking") == "step"
        with setting("scheduler-locking", "on") if held else nullcontext():
            return self._run("continue")

    def show(self) -> None:
        """Write the selected frame at a stop at a mark, as GDB does at a step's end."""
        named = gdb.selected_frame() == self._known or self._name_body(with_line=True)
        with setting("print frame-info", "source-line" if named else "auto"):
            _execute("frame")
        _execute("display")

    def _name_body(self, with_line: bool) -> bool:
        """Write which construct's body the selected frame is and where, if it is one; tell
        whether it is."""
        frame = gdb.selected_frame()
        name = body_name(self._session, frame)
        if name is None:
            return False
        sal = frame.find_sal()
        where = place(name, sal.symtab and sal.symtab.filename, sal.line if with_line else None)
        number = f"#{frame.level()}  " if frame.level() else ""
        gdb.write(number + current_style().paint(where) + "\n")
        return True

    def _run(self, command: str) -> Report:
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


def show_location() -> None:
    """Write the selected frame without its place: the step that follows tells that."""
    with setting("print frame-info", "short-location"):
        _execute("frame")
