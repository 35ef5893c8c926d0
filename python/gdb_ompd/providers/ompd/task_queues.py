# SPDX-License-Identifier: Apache-2.0
"""The queues of tasks that teams keep: one a thread, and those of priorities.

A queue is a ring (``kmp_base_thread_data_t``, openmp/runtime/src/kmp.h). A thread can be
stopped while it takes a task out or puts one in: head and tail, which are written
first, say what is in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Optional

from ...errors import Inconsistent
from .graph import MAX_TEAM_SIZE, Team
from .task_fields import TaskFields
from .task_record import Budget, RecordReader, WORD

MAX_QUEUE = 1 << 22
MAX_PRIORITIES = 1 << 12
MAX_SET_ASIDE = 1 << 10
_DATA = "kmp_base_thread_data_t"


@dataclass
class Queues:
    """Reads the queues of live teams. OWNER tells by a task's address the address of the
    thread that it is queued with, 0 for a queue that is nobody's."""

    fields: TaskFields
    reader: RecordReader
    limit: int
    budget: Budget
    owner: dict[int, int] = field(default_factory=dict)
    is_cut: bool = False  # there are more tasks than LIMIT
    _seen: set[int] = field(default_factory=set)

    def read(self, team: Team) -> None:
        """Read what is queued in TEAM; Inconsistent if its queues cannot be ones."""
        for task_team in self._task_teams(team):
            if task_team in self._seen:
                continue
            self._seen.add(task_team)
            self._read_threads(task_team, team)
            self._read_priorities(task_team)

    def _task_teams(self, team: Team) -> Iterator[int]:
        """Yield a team's task teams, the one of now and the one of the last barrier.

        One thread needs no second one: newer versions keep there those that the thread
        has set aside for serialized regions (``kmp_task_team_list_t``).
        """
        at = team.address + self.fields.places["kmp_base_team_t.t_task_team"][0]
        first, second = self.reader.word(at), self.reader.word(at + WORD)
        found = [first, second]
        if team.nproc == 1 and self.fields.has("kmp_task_team_list_t.next"):
            found = [first, *self._set_aside(second)]
        yield from filter(None, found)

    def _set_aside(self, node: int) -> Iterator[int]:
        for _ in range(MAX_SET_ASIDE):
            if not node:
                return
            yield self.reader.word(node)
            node = self.reader.field(node, "kmp_task_team_list_t.next")

    def _read_threads(self, task_team: int, team: Team) -> None:
        data = self.reader.field(task_team, "kmp_base_task_team_t.tt_threads_data")
        found = self.reader.field(task_team, "kmp_base_task_team_t.tt_found_tasks")
        if not data or not found:
            return
        count = self.reader.field(task_team, "kmp_base_task_team_t.tt_nproc")
        room = self.reader.field(task_team, "kmp_base_task_team_t.tt_max_threads")
        if not 0 < count <= MAX_TEAM_SIZE or room > MAX_TEAM_SIZE:
            raise Inconsistent(f"a task team of {count} OpenMP threads cannot be")
        size = self.fields.sizeof("kmp_thread_data_t")
        for number in range(min(count, room)):
            if not self.budget.take():
                return
            queue = data + number * size
            thread = self.reader.field(queue, f"{_DATA}.td_thr")
            if self._read_queue(queue, thread) and thread not in team.threads:
                raise Inconsistent("a queue of tasks is no thread's of its OpenMP team")

    def _read_priorities(self, task_team: int) -> None:
        if not self.fields.has("kmp_task_pri_t"):
            return
        node = self.reader.field(task_team, "kmp_base_task_team_t.tt_task_pri_list")
        for _ in range(MAX_PRIORITIES):
            if not node or not self.budget.take():
                return
            self._read_queue(node + self.fields.places["kmp_task_pri_t.td"][0], 0)
            node = self.reader.field(node, "kmp_task_pri_t.next")

    def _read_queue(self, queue: int, owner: int) -> bool:
        """Read one ring; tell whether it holds anything."""
        ring, size, head, tail, count = (
            self.reader.field(queue, f"{_DATA}.td_deque{name}")
            for name in ("", "_size", "_head", "_tail", "_ntasks")
        )
        if not ring or not count and head == tail:
            return False
        if size & (size - 1) or not 0 < size <= MAX_QUEUE or max(head, tail) >= size:
            raise Inconsistent(f"a queue of {size} OpenMP tasks from {head} to {tail} cannot be")
        inside = (tail - head) % size
        if inside == 0 and count > size // 2:
            inside = size
        for position in range(inside):
            if len(self.owner) >= self.limit or not self.budget.take():
                self.is_cut = True
                break
            task = self.reader.word(ring + (head + position) % size * WORD)
            self.owner[task] = owner
        return inside > 0

    def thread_of(self, task: int) -> Optional[int]:
        """Return the address of the thread whose queue a task is in; None if nobody's."""
        return self.owner.get(task) or None
