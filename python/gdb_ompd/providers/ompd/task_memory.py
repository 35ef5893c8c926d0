# SPDX-License-Identifier: Apache-2.0
"""Finds detached tasks in the memory that the runtime took for tasks.

A detached task that nothing depends on is known to the user's event alone. Its record
is in the pools of the thread that generated it (``bget``, openmp/runtime/src/kmp_alloc.cpp),
and says of itself whose event it holds. A pool without any room left is not seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

from ...host.protocols import READ_ERRORS
from .task_fields import TaskFields
from .task_record import Record, RecordReader, WORD

LINE = 64  # tasks are aligned so (``__kmp_fast_allocate``)
MAX_BLOCKS = 1 << 16  # of one thread
_SIGN = 1 << 63
_END = 1 << 62  # no block is so large: the one that ends a pool


@dataclass(frozen=True, slots=True)
class TaskMemory:
    """Walks pools block by block."""

    fields: TaskFields
    reader: RecordReader

    def awaiting_events(self, thread: int) -> Iterator[Record]:
        """Yield the explicit tasks that the thread whose record is at THREAD generated,
        and whose event is not fulfilled."""
        try:
            for start, size in self._allocated(thread):
                room = range(-(-start // LINE) * LINE, start + size - self.reader.size, LINE)
                for address in room[:4]:  # behind the block's own words
                    record = self.reader.read(address)
                    if record is not None and self._is_one(record, thread):
                        yield record
                        break
        except READ_ERRORS:
            return

    @staticmethod
    def _is_one(record: Record, thread: int) -> bool:
        wanted = record.is_explicit and record.is_live and "detachable" in record.flags
        return wanted and record.awaits_event and record.allocator == thread

    def _allocated(self, thread: int) -> Iterator[tuple[int, int]]:
        """Yield start and size of the blocks in use, behind each free one."""
        local = thread + self.fields.places["kmp_base_info_t.th_local"][0]
        data = self.reader.field(local, "kmp_local_t.bget_data")
        if not data:
            return
        offset, size = self.fields.places["thr_data_t.freelist"]
        head_size = self.fields.sizeof("bfhead_t")
        seen: set[int] = set()
        for head in range(data + offset, data + offset + size, head_size):
            block = self._next(head)
            while block != head and block and len(seen) < MAX_BLOCKS:
                yield from self._behind(block, seen)
                block = self._next(block)

    def _next(self, block: int) -> int:
        links = block + self.fields.places["bfhead_t.ql"][0]
        return self.reader.field(links, "qlinks_t.flink")

    def _behind(self, block: int, seen: set[int]) -> Iterator[tuple[int, int]]:
        header = self.fields.places["bfhead_t.ql"][0]
        while block not in seen and len(seen) < MAX_BLOCKS:
            seen.add(block)
            size = self.reader.field(block, "bhead2_t.bsize")
            in_use = bool(size & _SIGN)
            size = (1 << 8 * WORD) - size if in_use else size
            if not header < size < _END:
                return
            if in_use:
                yield block + header, size - header
            block += size
