# SPDX-License-Identifier: Apache-2.0
"""In which frame of each thread an expression is evaluated: that of the same function as
the selected frame, else the innermost of the user's code."""

from __future__ import annotations

from typing import Collection, Iterator, NamedTuple, Optional

import gdb

from .._native import CodeMap, FunctionName
from ..host.charset import name_of
from ..host.inlined import InlineDepths
from ..host.locations import executed_by
from ..host.selection import level_of
from ..host.sessions.session import Session

MAX_FRAMES = 10_000

# What tells a function from another: its file, its line, its name with a template's arguments. Without
# debug information: the file that it was mapped from, where it is there, and no name.
FunctionKey = tuple[str, int, str]


class Chosen(NamedTuple):
    """A frame. IS_SAME tells that it is of the function that is wanted, IS_USER that it is
    of the user's code."""

    frame: gdb.Frame
    is_same: bool
    is_user: bool


class FrameChooser:
    """Chooses frames for one expression, which the user asks with a frame selected."""

    def __init__(self, session: Session) -> None:
        self._code: CodeMap
        self._code, self._sources = session.places()
        self._functions: dict[tuple[int, int], Optional[FunctionKey]] = {}
        self._wanted: Optional[FunctionKey] = None
        self._own_level: Optional[int] = None
        self.own: Optional[gdb.Frame] = None  # the frame that is meant in the selected thread

    def start(self) -> None:
        """Note the selected frame: in the runtime or the system, as a thread is that waits,
        the innermost one of the user's code is meant."""
        try:
            selected = body_called_by(gdb.selected_frame())
        except gdb.error:
            return
        waits = level_of(selected) == 0
        for frame, inlined in frames():
            if self.is_user(frame) if waits else frame == selected:
                selected = frame
                self._wanted = self._function(frame, inlined)
                break
        self._own_level = level_of(selected)
        self.own = selected

    def of_selected(self) -> Optional[gdb.Frame]:
        """Return the frame of the thread that ``start`` found selected, which is selected."""
        return next((f for f, _ in frames() if level_of(f) == self._own_level), None)

    def choose(self, levels: Optional[Collection[int]] = None) -> Optional[Chosen]:
        """Return the selected thread's frame, only of those with these LEVELS if they are
        given. None where it has no frame that can be read."""
        newest: Optional[gdb.Frame] = None
        user: Optional[gdb.Frame] = None
        undescribed: Optional[gdb.Frame] = None  # the innermost of the user's that has no symbol
        for frame, inlined in frames():
            newest = newest or frame
            if levels is not None and level_of(frame) not in levels:
                continue
            if self._wanted is not None and self._function(frame, inlined) == self._wanted:
                return Chosen(frame, True, True)
            # GCC describes no function for some bodies of constructs: those in constructors.
            is_described = frame.function() is not None or FunctionName(frame.name()).is_outlined
            if user is None and self.is_user(frame):
                user = frame if is_described else None
                undescribed = undescribed or frame
        if user is not None or undescribed is not None:
            return Chosen(user or undescribed, False, True)
        return Chosen(newest, False, False) if newest is not None else None

    def is_user(self, frame: gdb.Frame) -> bool:
        """Tell whether a frame is of the program's own code."""
        return self._code.is_user(frame.pc())

    def _function(self, frame: gdb.Frame, inlined: int) -> Optional[FunctionKey]:
        key = frame.pc(), inlined
        if key not in self._functions:
            self._functions[key] = function_key(frame) or self._unnamed(frame)
        return self._functions[key]

    def _unnamed(self, frame: gdb.Frame) -> Optional[FunctionKey]:
        """Return what tells a function of the user's that has no debug information."""
        at = executed_by(frame)
        code = self._sources.code_at(at) if self._code.is_user(at) else None
        return None if code is None else (code.module, code.offset, "")


def frames() -> Iterator[tuple[gdb.Frame, int]]:
    """Yield the selected thread's frames, innermost first, each with how many functions are
    inlined into it (see InlineDepths). Ends where unwinding does."""
    try:
        frame: Optional[gdb.Frame] = gdb.newest_frame()
        depths = InlineDepths()
        for _ in range(MAX_FRAMES):
            if frame is None:
                return
            yield frame, depths.next(frame, frame.pc())
            frame = frame.older()
    except gdb.error:
        return  # a corrupt stack ends there; a thread that runs has none


def body_called_by(frame: gdb.Frame) -> gdb.Frame:
    """Return the construct's body that FRAME is there only to call; else FRAME. What clang hands
    over by value is the bits of the variable there, described as a number."""
    called = frame.newer()
    while called is not None and FunctionName(frame.name()).is_wrapper_of(called.name()):
        frame, called = called, called.newer()
    return frame


def newest_pc() -> Optional[int]:
    """Return the program counter of the selected thread, None where GDB cannot get it. The frame
    would cost several times as much: GDB unwinds its caller, too, for Python."""
    try:
        return int(gdb.parse_and_eval("$pc"))
    except gdb.error:
        return None


def function_key(frame: gdb.Frame) -> Optional[FunctionKey]:
    """Return what tells the frame's function; None where there is no debug information."""
    symbol = frame.function()
    if symbol is None:
        return None
    return symbol.symtab.fullname(), symbol.line, name_of(symbol)
