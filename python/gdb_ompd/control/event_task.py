# SPDX-License-Identifier: Apache-2.0
"""Which explicit task begins or ends, found in the announcing frame's registers.

OMPD does not say. ``__kmp_invoke_task`` (openmp/runtime/src/kmp_tasking.cpp) needs
the task again after the announcement, so that a callee-saved register points to
its ``kmp_task_t``, whose record is right before it. Taken only if it is the only
one that can be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import gdb

from .._native import CodeMap
from ..host.modules import MappedModule
from ..providers.ompd.layout import Layout
from ..host.remote_memory import Read, reader
from .event_stack import WORD, saved_registers


@dataclass(frozen=True, slots=True)
class EventTask:
    """RECORD is the address of the task's ``kmp_taskdata_t``, ROUTINE of the function
    the compiler made of it."""

    record: int
    routine: int


class TaskFinder:
    """Finds tasks by registers; what it learns of routines holds until files change."""

    def __init__(self, code: CodeMap, modules: list[MappedModule], layout: Layout) -> None:
        self._code = code
        self._modules = modules
        self._record_size = layout.sizeof("kmp_taskdata_t")
        self._routine = layout.access("kmp_task_t", "routine")
        self._flags = layout.access("kmp_taskdata_t", "td_flags")
        self._explicit = layout.flag("tasktype")
        self._begins_function: dict[int, bool] = {}

    def find(self, announcer: gdb.Frame) -> Optional[EventTask]:
        """Return the task, None if none or more than one can be it."""
        read = reader()
        found = [
            task
            for value in saved_registers(announcer)
            for task in [self._task_at(read, value)]
            if task is not None
        ]
        return found[0] if len(found) == 1 else None

    def is_user(self, function: int) -> bool:
        """Tell a function of the program from one of the runtime's own: halves of a
        large ``taskloop`` are tasks, too."""
        return self.is_function(function) and self._code.is_user(function)

    def _task_at(self, read: Read, address: int) -> Optional[EventTask]:
        if address % WORD or address < self._record_size:
            return None
        try:
            routine = _word(read, address + self._routine, WORD)
            if not self.is_function(routine):
                return None
            record = address - self._record_size
            explicit = _word(read, record + self._flags, 4) & self._explicit
        except gdb.MemoryError:
            return None
        return EventTask(record, routine) if explicit else None

    def is_function(self, address: int) -> bool:
        """Tell whether a function of the program or the runtime begins at ADDRESS."""
        if address not in self._begins_function:
            self._begins_function[address] = self._looks_like_function(address)
        return self._begins_function[address]

    def _looks_like_function(self, address: int) -> bool:
        """Tell whether a function begins at ADDRESS; in a file without symbols,
        whether code can be there."""
        if self._code.code_at(address) == "system":
            return False
        for mapped in self._modules:
            if mapped.module is None:
                continue
            value = address - mapped.bias
            for start, size, permissions in mapped.module.elf.segments:
                if start <= value < start + size:
                    function = mapped.module.elf.function_at(value)
                    return "x" in permissions and (function is None or function.value == value)
        return False


def _word(read: Read, address: int, size: int) -> int:
    return int.from_bytes(read(address, size), "little")
