# SPDX-License-Identifier: Apache-2.0
"""The selected thread's frames as stepping sees them: the user's, and all others."""

from __future__ import annotations

from typing import Iterator, Optional

import gdb

from ... import entry_points
from ...code_map import Code
from ...session import Session
from ...source import OUTLINED, is_region_body, is_wrapper_of
from ...stacks import MAX_FRAMES


def physical(frame: gdb.Frame) -> gdb.Frame:
    """Return the frame that FRAME's function was inlined into, itself if it was not."""
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


def has_line(frame: gdb.Frame) -> bool:
    """Tell whether a frame's place in the source is known."""
    sal = frame.find_sal()
    return sal.symtab is not None and sal.line != 0


def address_has_line(address: int) -> bool:
    """Tell whether the source of the code at ADDRESS is known."""
    sal = gdb.current_progspace().find_pc_line(address)
    return sal.symtab is not None and sal.line != 0


class Stack:
    """The selected thread's frames, read anew by each question."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def frames(self) -> Iterator[gdb.Frame]:
        """Yield the frames, innermost first; ends where unwinding does."""
        try:
            frame: Optional[gdb.Frame] = gdb.newest_frame()
            for _ in range(MAX_FRAMES):
                if frame is None:
                    return
                yield frame
                frame = frame.older()
        except gdb.error:
            return

    def is_user(self, address: int) -> bool:
        """Tell whether ADDRESS is in the user's code."""
        return self._session.code_map().is_user(address)

    def in_runtime(self) -> bool:
        """Tell whether the runtime executes, or a system function that it called."""
        code = self._session.code_map()
        for frame in self.frames():
            whose = code.code_at(frame.pc())
            if whose is not Code.SYSTEM:
                return whose is Code.RUNTIME
        return False

    def user_frame(self, home: Optional[gdb.Frame] = None) -> Optional[gdb.Frame]:
        """Return the innermost frame of HOME's call, where that has ended the
        innermost frame of the user's that has source; None if there is none."""
        found: Optional[gdb.Frame] = None
        for frame in self.frames():
            if not self.is_user(frame.pc()) or not has_line(frame):
                continue
            if home is None or physical(frame) == home:
                return frame
            found = found or frame
        return found

    def is_alive(self, home: gdb.Frame) -> bool:
        """Tell whether the call of the physical frame HOME goes on."""
        return any(frame == home for frame in self.frames())

    def in_region_call(self) -> bool:
        """Tell whether the innermost user frame with source has called the runtime to
        execute a region."""
        callee: Optional[gdb.Frame] = None
        for frame in self.frames():
            if self.is_user(frame.pc()) and has_line(frame):
                return callee is not None and entry_points.begins_region(callee.name() or "")
            callee = frame
        return False

    def at_construct(self) -> bool:
        """Tell whether the thread is at a construct's own line in its outlined body,
        where compilers put what the user did not write."""
        frame = gdb.newest_frame()
        name = frame.name() or ""
        if not OUTLINED.search(name):
            return False
        place = frame.find_sal()
        while frame.older() is not None and is_wrapper_of(frame.older().name() or "", name):
            frame = frame.older()
            name = frame.name() or ""
        function = physical(frame).function()
        if function is None or place.symtab is None:
            return False
        begin = gdb.current_progspace().find_pc_line(int(function.value().address))
        return bool(begin.symtab == place.symtab and begin.line == place.line)

    def region_bodies(self, frame: gdb.Frame) -> list[int]:
        """Return where the outlined bodies of regions in the file of FRAME begin."""
        symtab = frame.find_sal().symtab
        if symtab is None:
            return []
        return [
            int(symbol.value().address)
            for block in (symtab.global_block(), symtab.static_block())
            for symbol in block
            if symbol.is_function and is_region_body(symbol.name)
        ]
