# SPDX-License-Identifier: Apache-2.0
"""The end of a region of GCC's code, which LLVM's runtime announces twice.

``GOMP_parallel_end`` announces it after the functions that it calls have. Of
serialized regions nested in each other LLVM 19 lets those announce the inner
one's end a second time, and an outer one's not at all. So the first announcement
of each call counts, whichever function makes it.
"""

from __future__ import annotations

from typing import Optional

import gdb

from ..code_map import CodeMap
from . import event_stack


class GccEnds:
    """Remembers, by thread, the call whose region's end was announced already."""

    def __init__(self, code: CodeMap) -> None:
        self._code = code
        self._announced: dict[int, tuple[int, int]] = {}

    def counts(self, announcer: gdb.Frame, is_last: bool) -> bool:
        """Tell whether this is the first announcement of a region's end. IS_LAST says
        that it is GCC's entry point's own, which comes last."""
        thread = gdb.selected_thread().global_num
        call = self._call(announcer, is_last)
        if call is None:
            return True  # not of GCC's code
        known = self._announced.pop(thread, None)
        if not is_last:
            self._announced[thread] = call
        return known != call

    def _call(self, announcer: gdb.Frame, is_last: bool) -> Optional[tuple[int, int]]:
        """Return what tells GCC's call of the runtime from others on the thread."""
        below: Optional[gdb.Frame] = None
        for each in event_stack.frames_above(announcer):
            body = below is not None and event_stack.calls_body(each, below)
            if body or self._code.is_user(each.pc()):
                if is_last or below is None or event_stack.is_of_gcc(below.name() or ""):
                    return int(each.read_register("sp")), each.pc()
                return None
            below = each
        return None
