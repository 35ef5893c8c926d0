# SPDX-License-Identifier: Apache-2.0
"""The selected frame as GDB shows it at a stop. Of code without a name GDB says "??"."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Optional

import gdb

from ..errors import OmpdToolError
from ..host.protocols import READ_ERRORS
from ..host.selection import level_of, setting
from ..render.style import Role, Span, text
from ..host.sessions.registry import session_of
from .styles import current_style


def show_frame() -> None:
    """Show the selected frame. What GDB does for that is no command of the user's."""
    name = _name_by_file(gdb.selected_frame())
    if name is None:
        _silently("frame")
    else:
        gdb.write(f"{name}\n")


def select_and_show(frame: gdb.Frame) -> None:
    """Select FRAME of the selected thread and show it where the user looks, in the TUI as well.

    GDB's own command does that, but only where it changes what is selected: else it writes past
    the TUI. Front ends do not follow what Python selects."""
    other = frame.older() or frame.newer()
    name = _name_by_file(frame)
    # In no language GDB reads no number.
    if name is None and other is not None and gdb.parameter("language") != "unknown":
        other.select()
        gdb.write(_silently(f"frame level {level_of(frame)}", to_string=True))
        return
    frame.select()
    gdb.write(f"{name}\n" if name else _silently("frame", to_string=True))


def _silently(command: str, to_string: bool = False) -> str:
    """Have GDB do what the user did not type; return what TO_STRING catches."""
    traced = gdb.parameter("trace-commands")
    with setting("trace-commands", False) if traced else nullcontext():
        return str(gdb.execute(command, to_string=to_string) or "")


def _name_by_file(frame: gdb.Frame) -> Optional[str]:
    """Return the line of a frame whose function has no name, None of another."""
    if frame.function() is not None:
        return None
    try:
        place = session_of().places()[1].location_of(frame)
    except (OmpdToolError, *READ_ERRORS):
        return None
    if place.function is not None or place.line is not None or place.code is None:
        return None
    address = Span(f"0x{place.pc:016x}", Role.ADDRESS)
    name = Span(place.code.name, Role.FUNCTION)
    return current_style().paint(text(f"#{level_of(frame)}  ", address, " in ", name, " ()"))
