# SPDX-License-Identifier: Apache-2.0
"""`layout ompd`: a window of GDB's text interface that follows the program's stops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import gdb

if TYPE_CHECKING:
    from ..render.window import Line

LAYOUT = "tui new-layout ompd ompd 1 src 1 status 0 cmd 1"


def register() -> None:
    """Add the window and its layout, where GDB has a text interface."""
    if not hasattr(gdb, "register_window_type"):
        return
    try:
        gdb.register_window_type("ompd", OmpdWindow)
        gdb.execute(LAYOUT, to_string=True)
    except gdb.error:
        pass  # built without it, or another has the name


class OmpdWindow:
    """The window. GDB calls its methods by their names."""

    def __init__(self, window: Any) -> None:
        self._window = window
        self._lines: Optional[list["Line"]] = None
        self._top = self._left = 0
        window.title = "OpenMP"
        gdb.events.before_prompt.connect(self._follow)

    def close(self) -> None:
        """Be shown no more."""
        gdb.events.before_prompt.disconnect(self._follow)

    def _follow(self) -> None:
        """Show what is true now: the program may have gone on, or another thread be selected."""
        self._lines = None
        if self._window.is_valid():
            self.render()

    def render(self) -> None:
        """Draw."""
        from ..render.window import drawn
        from .styles import current_style

        if self._lines is None:
            self._lines = _read()
        window = self._window
        self._top = max(0, min(self._top, len(self._lines) - window.height))
        shown = self._lines[self._top : self._top + window.height]
        window.erase()
        width = max(window.width - 1, 1)  # a full line would begin another
        window.write("\n".join(drawn(shown, current_style(), self._left, width)))

    def vscroll(self, lines: int) -> None:
        """Scroll by LINES."""
        self._top = max(0, self._top + lines)
        self.render()

    def hscroll(self, columns: int) -> None:
        """Scroll by COLUMNS."""
        self._left = max(0, self._left + columns)
        self.render()

    def click(self, x: int, y: int, button: int) -> None:
        """Select the thread on that line."""
        at = self._top + y
        number = self._lines[at].gdb_num if self._lines and at < len(self._lines) else None
        if number is not None:
            gdb.execute(f"thread {gdb.selected_inferior().num}.{number}", to_string=True)
            self._follow()


def _read() -> list["Line"]:
    """Return the lines of the selected inferior, or why there are none."""
    from ..errors import OmpdToolError
    from ..host.charset import any_name
    from ..host.selection import number_prefix
    from ..render.style import text
    from ..render.window import Line, lines
    from ..host.sessions.answering import answered
    from ..host.sessions.registry import session_of

    try:
        with any_name():
            return answered(lambda: lines(session_of().snapshot(), number_prefix()))
    except (OmpdToolError, gdb.error) as error:
        return [Line(text(str(error)))]
