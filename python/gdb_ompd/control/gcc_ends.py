# SPDX-License-Identifier: Apache-2.0
"""The end of a region of GCC's code, which LLVM's runtime announces twice.

``GOMP_parallel_end`` announces it after the functions that it calls have. Of
serialized regions nested in each other LLVM 19 lets those announce the inner
one's end a second time, and an outer one's not at all. So the first announcement
of each call counts, whichever function makes it.
"""

from __future__ import annotations

import gdb

from .event_stack import EventStack


class GccEnds:
    """Remembers, by thread, the call whose region's end was announced already."""

    def __init__(self) -> None:
        self._announced: dict[int, tuple[int, int]] = {}

    def counts(self, stack: EventStack) -> bool:
        """Tell whether this is the first announcement of a region's end."""
        call = stack.gcc_call()
        if call is None:
            return True  # not of GCC's code
        thread = gdb.selected_thread().global_num
        known = self._announced.pop(thread, None)
        if not stack.is_entry_points_own:  # its own comes last
            self._announced[thread] = call
        return known != call
