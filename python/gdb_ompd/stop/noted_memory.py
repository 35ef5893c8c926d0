# SPDX-License-Identifier: Apache-2.0
"""What an answer that is kept was read from, and whether memory still says the same.

Slots of the linkage table are filled while a program runs, and memory can be damaged
and mended: an answer from an earlier stop holds only where all that it was read from is
as it was.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Optional

from ..host.protocols import READ_ERRORS
from ..host.target import GdbTarget

# What is read for an answer is a few pages; more would cost more to compare than to ask.
MOST = 64


class NotedMemory:
    """A target as native code sees it, whose reads can be noted."""

    def __init__(self, target: GdbTarget) -> None:
        self._target = target
        self._notes: dict[tuple[int, int], Optional[bytes]] = {}  # None: cannot be read
        self._noting = False
        # What native code asks besides memory.
        self.write_memory = target.write_memory
        self.thread_pointer = target.thread_pointer
        self.print_string = target.print_string

    def read_memory(self, address: int, size: int) -> memoryview:
        """Read from the inferior; gdb.MemoryError where nothing is mapped."""
        if not self._noting:
            return self._target.read_memory(address, size)
        self._notes.setdefault((address, size), None)
        data = self._target.read_memory(address, size)
        self._notes[address, size] = bytes(data)
        return data

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note what is read inside, in addition to what was noted before."""
        self._noting = True
        try:
            yield
        finally:
            self._noting = False

    def is_unchanged(self) -> bool:
        """Tell whether all that was noted reads the same now."""
        if len(self._notes) > MOST:
            return False
        return all(self._read(*place) == data for place, data in self._notes.items())

    def forget(self) -> None:
        """Forget what was noted."""
        self._notes.clear()

    def _read(self, address: int, size: int) -> Optional[bytes]:
        try:
            return bytes(self._target.read_memory(address, size))
        except READ_ERRORS:
            return None
