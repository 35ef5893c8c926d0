# SPDX-License-Identifier: Apache-2.0
"""An expression in several threads, its variables looked up along the logical stack of each."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

import gdb

from ..errors import OmpdToolError
from ..host.selection import why_no_frame
from ..model.values import FoundName, AskedThread, ThreadValue
from .differing import AnsweredValue
from .lookup import function_at
from .reading import NO_FRAME, ValueReader
from .up import evaluated


class ReaderUp(ValueReader):
    """Looks in each thread's frame of the function that the selected frame is of, else in its
    innermost frame of the user's code. From there it looks as "print -up" does in the selected
    thread."""

    _found: tuple[FoundName, ...] = ()

    def _ask_once(self, members: Sequence[AskedThread], own: Optional[gdb.InferiorThread]) -> None:
        """Ask each thread: a caller's variable may have the name of a static one."""

    def _in_thread(
        self, row: ThreadValue, thread: gdb.InferiorThread, is_own: bool
    ) -> AnsweredValue:
        thread.switch()
        frame = self._frames.of_selected() if is_own else None
        if frame is None:
            chosen = self._frames.choose(self._levels_of(thread.num))
            if chosen is None:
                return AnsweredValue(row._replace(error=why_no_frame().rstrip(".") or NO_FRAME))
            frame = chosen.frame
        frame.select()
        try:
            found, value, address = evaluated(self._session, self._expression.strip())
        except OmpdToolError as error:
            return AnsweredValue(row._replace(error=str(error)))
        self._found += tuple(at.named(name) for name, at in found.items())
        asked = self._asked(row, value)
        return asked._replace(row=asked.row._replace(address=address))

    def _notes(self) -> Iterator[str]:
        yield from super()._notes()
        yield from dict.fromkeys(map(_where, self._found))


def _where(found: FoundName) -> str:
    """Say of which function a variable is: threads of a team mostly find the same."""
    place = found.place
    if found.frame is None or place is None:
        return f"{found.name} is static, or the thread's own"
    return f"{found.name} of {function_at(place)}"
