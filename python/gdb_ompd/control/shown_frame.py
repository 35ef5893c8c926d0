# SPDX-License-Identifier: Apache-2.0
"""The selected frame as GDB shows it at a stop. Of code without a name GDB says "??"."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Optional

import gdb

from ..errors import OmpdToolError
from ..host.protocols import READ_ERRORS
from ..host.selection import setting
from ..render.style import Role, Span, text
from ..stop.registry import session_of
from .styles import current_style


def show_frame() -> None:
    """Show the selected frame. What GDB does for that is no command of the user's."""
    name = _name_by_file(gdb.selected_frame())
    if name is not None:
        gdb.write(f"{name}\n")
        return

    traced = gdb.parameter("trace-commands")
    with setting("trace-commands", False) if traced else nullcontext():
        gdb.execute("frame")


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
    return current_style().paint(text(f"#{frame.level()}  ", address, " in ", name, " ()"))
