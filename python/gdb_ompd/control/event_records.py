# SPDX-License-Identifier: Apache-2.0
"""What a runtime has recorded of an event: native code reads it, GDB's frames lead there.

Made for breakpoint conditions: each question reads the program's memory as it is now, and
None is the answer wherever it cannot be known.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Optional

import gdb

from .._native import (
    Announcer,
    EventReader,
    EventRegion,
    EventTask,
    NativeThread,
    ThreadNumbers,
    TaskMaker,
)
from ..errors import OmpdToolError
from ..host.protocols import READ_ERRORS
from ..host.runtimes.provider import Provider
from .event_stack import EventStack, EventStacks, stack_pointer

UNREADABLE = (OmpdToolError, *READ_ERRORS)


class EventRecords:
    """Asks for the records of one runtime."""

    def __init__(self, provider: Provider, reader: EventReader, stacks: EventStacks) -> None:
        self.provider = provider
        self._reader = reader
        self._stacks = stacks

    def task(self) -> Optional[EventTask]:
        """Return the explicit task whose begin or end is announced. Where the announcing
        frame's registers do not tell, the thread's record does, which costs more."""
        self._use_kernel()
        found = self._reader.announced_task(self._stacks.saved_registers(self._holder()))
        if found is None:
            with suppress(*UNREADABLE):
                found = self._reader.executed_task(self._thread())
        return found

    def _holder(self) -> gdb.Frame:
        """Return a frame with the announcer's callee-saved registers: its own, or that
        of the event function, which has not touched them at its first instruction."""
        here, runtime = gdb.newest_frame(), self.provider.mapped
        place = here.pc() - runtime.bias
        function = runtime.module.elf.function_at(place) if runtime.module is not None else None
        if function is not None and function.value == place:
            return here
        return here.older() or here

    def is_user(self, function: int) -> bool:
        """Tell a function of the program from one of the runtime's own: halves of a
        large ``taskloop`` are tasks, too."""
        return self._reader.is_users(function)

    def region(self, stack: EventStack, begins: bool) -> Optional[EventRegion]:
        """Return the region that begins or ends on the selected thread."""
        with suppress(*UNREADABLE):
            announcer = self._announcer(stack) if begins else None
            return self._reader.region(self._thread(), begins, stack.facts.entry, announcer)
        return None

    def function_of_teams(self) -> Optional[int]:
        """Return the outlined function of the ``teams`` construct that the selected
        thread executes."""
        with suppress(*UNREADABLE):
            return self._reader.teams_function(self._thread())
        return None

    def maker(self, task: EventTask) -> Optional[TaskMaker]:
        """Return the task that generated TASK. Raises OmpdToolError, or GDB's errors."""
        return self._reader.maker(task.record)

    def place(self) -> Optional[ThreadNumbers]:
        """Return the selected thread's place in its team. Raises the same."""
        return self._reader.place(self._thread())

    def _announcer(self, stack: EventStack) -> Optional[Announcer]:
        """Return what the announcing frame has of the team that the thread will be primary of:
        registers, where its stack is, and the program counters that lead to it."""
        frame = stack.announcer
        if frame is None or stack.facts.links_serialized:
            return None
        caller = frame.older()
        while caller is not None and caller.type() == gdb.INLINE_FRAME:
            caller = caller.older()
        begin = stack_pointer(frame)
        end = begin if caller is None else stack_pointer(caller)
        return Announcer(self._stacks.saved_registers(frame), begin, end, stack.facts.pcs)

    def _thread(self) -> NativeThread:
        """Return the selected thread, where the runtime can be read now."""
        self.provider.runtime.check_now()
        self._use_kernel()
        return self.provider.target.stopped_thread(gdb.selected_thread())

    def _use_kernel(self) -> None:
        self._reader.read_from_kernel(self.provider.target.kernels_process())
