# SPDX-License-Identifier: Apache-2.0
"""The graph of tasks' dependences, as far as it is not done.

A task that waits for others is in no queue: those that it waits for have it among
their successors (``kmp_base_depnode_t``), and the task that generated it finds it by
the last users of each variable (``kmp_dephash_t``; openmp/runtime/src/kmp.h).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional

from .task_record import Budget, Record, RecordReader, WORD
from .walk_facts import signed

MAX_BUCKETS = 1 << 17
MAX_IN_BUCKET = 1 << 16
MAX_LIST = 1 << 18
_ENTRY = "kmp_dephash_entry_t"


@dataclass(frozen=True, slots=True)
class Dependences:
    """Follows nodes and lists in the runtime's memory."""

    reader: RecordReader
    budget: Budget

    def are_open(self, task: Record) -> bool:
        """Tell whether a task waits for others."""
        waits = self.reader.field(task.depnode, "kmp_base_depnode_t.npredecessors")
        return signed(waits) > 0

    def successors(self, task: Record) -> Iterator[Record]:
        """Yield the tasks that wait for this one. Once a task is complete its list is
        taken apart, and it has left its node."""
        if not task.depnode or self._task_at(task.depnode) != task:
            return
        yield from self._listed(self.reader.field(task.depnode, "kmp_base_depnode_t.successors"))

    def of_children(self, task: Record) -> Iterator[Record]:
        """Yield children of a task that are not complete and that later ones may
        depend on."""
        if not task.dephash:
            return
        last = self._task_at(self.reader.field(task.dephash, "kmp_dephash_t.last_all"))
        if last is not None:
            yield last
        buckets = self.reader.field(task.dephash, "kmp_dephash_t.buckets")
        count = self.reader.field(task.dephash, "kmp_dephash_t.size")
        for number in range(min(count, MAX_BUCKETS)):
            if not self.budget.take():
                return
            entry = self.reader.word(buckets + number * WORD)
            for _ in range(MAX_IN_BUCKET):
                if not entry or not self.budget.take():
                    break
                last = self._task_at(self.reader.field(entry, f"{_ENTRY}.last_out"))
                if last is not None:
                    yield last
                yield from self._listed(self.reader.field(entry, f"{_ENTRY}.last_set"))
                yield from self._listed(self.reader.field(entry, f"{_ENTRY}.prev_set"))
                entry = self.reader.field(entry, f"{_ENTRY}.next_in_bucket")

    def _listed(self, element: int) -> Iterator[Record]:
        for _ in range(MAX_LIST):
            if not element or not self.budget.take():
                return
            task = self._task_at(self.reader.field(element, "kmp_depnode_list_t.node"))
            if task is not None:
                yield task
            element = self.reader.field(element, "kmp_depnode_list_t.next")

    def _task_at(self, node: int) -> Optional[Record]:
        """Return the task whose node it is; None for one that is complete, and for a
        thread's that waits without having made a task."""
        if not node:
            return None
        task = self.reader.field(node, "kmp_base_depnode_t.task")
        record = self.reader.read(task - self.reader.size) if task else None
        return record if record is not None and record.depnode == node else None
