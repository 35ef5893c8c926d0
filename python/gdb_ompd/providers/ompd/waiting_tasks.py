# SPDX-License-Identifier: Apache-2.0
"""The explicit tasks that are created and that no thread executes.

From what threads execute to what led to that, to what is queued in their teams, and on
along dependences and creators. A record counts only where it says of itself that it is
a live task of a live team; each walk is bounded.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Iterable, Iterator, Optional, Sequence

from ...errors import OmpdToolError
from ...model import Whereabouts
from ...host.protocols import READ_ERRORS
from .dependences import Dependences
from .graph import Graph, OmpThread, Team
from .task_fields import TaskFields
from .task_memory import TaskMemory
from .task_queues import Queues
from .task_record import Budget, Record, RecordReader
from .walk_facts import could_be_address, signed

MAX_TASKS = 100_000
MAX_STEPS = 2_000_000
MOST_STRANGERS = 64  # among a team's implicit tasks: there are more where its size is damaged
CUT = "There are more tasks than these: so many records are not looked at."


@dataclass(frozen=True, slots=True)
class Found:
    """A task that no thread executes, where it is, and the address of the thread with
    which it is queued."""

    record: Record
    where: Whereabouts
    queue: Optional[int]


@dataclass
class Search:
    """Searches at one stop. SCHEDULERS tells that the runtime keeps which task each was
    begun in (OMPT is on).

    Of a team's implicit tasks the first alone surely has the creator of the region's.
    """

    graph: Graph
    fields: TaskFields
    threads: Sequence[OmpThread]
    schedulers: bool
    reader: RecordReader
    notes: list[str] = field(default_factory=list)
    _known: dict[int, Record] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.teams = self._live_teams()
        self._first = {next(self._implicit(team), 0) for team in self.teams.values()}
        self.current = {thread.task for thread in self.threads if thread.team is not None}
        self._budget = Budget(MAX_STEPS)
        self._queues = Queues(self.fields, self.reader, MAX_TASKS, self._budget)
        self._dependences = Dependences(self.reader, self._budget)

    def run(self) -> list[Found]:
        """Return the tasks; Inconsistent where the records cannot be what they are
        taken for."""
        for team in self.teams.values():
            self._queues.read(team)
        implicit = [task for team in self.teams.values() for task in self._implicit(team)]
        self._follow([*self.current, *implicit, *self._queues.owner])
        missing = self._missing()
        if missing:
            self._follow(task.address for task in self._detached(missing))
            missing = self._missing()
        if missing:
            self.notes.append(_not_found(sum(missing.values())))
        if self._queues.is_cut or self._budget.is_spent or len(self._known) >= MAX_TASKS:
            self.notes.append(CUT)
        return list(self._found())

    def _live_teams(self) -> dict[int, Team]:
        innermost = [thread.team for thread in self.threads if thread.team is not None]
        return {team.address: team for each in innermost for team in each.chain()}

    def _implicit(self, team: Team) -> Iterator[int]:
        """Yield the addresses of a team's implicit tasks, which lie one behind the other."""
        first = self.graph.read_field(team.address, "kmp_base_team_t", "t_implicit_task_taskdata")
        if not first:
            return
        strangers = 0
        for address in range(first, first + team.nproc * self.reader.size, self.reader.size):
            record = self.reader.read(address)
            strangers += record is None or record.team != team.address
            if strangers > MOST_STRANGERS:
                return
            yield address

    def _follow(self, addresses: Iterable[int]) -> None:
        """Look at these tasks and at all that they lead to."""
        pending = list(addresses)
        while pending and len(self._known) < MAX_TASKS:
            address = pending.pop()
            if address in self._known:
                continue
            record = self.reader.read(address)
            if record is None or not self._is_task(record):
                continue
            self._known[address] = record
            try:
                pending.extend(self._next(record))
            except READ_ERRORS:
                continue  # changed while it is read: what is known of it is enough

    def _is_task(self, record: Record) -> bool:
        """Tell whether a record is a task's: of a live team, and with a function where
        it is explicit."""
        if record.team not in self.teams:
            return False
        if not record.is_explicit:
            return True
        return record.routine != 0 and could_be_address(record.routine) and record.parent != 0

    def _next(self, record: Record) -> Iterator[int]:
        if record.is_explicit or record.address in self._first:
            yield record.parent
        if not record.is_live:
            return
        if self._is_on_stack(record):
            yield record.last_tied
            if self.schedulers:
                yield record.scheduler
        pattern = self.reader.pattern_of(record)
        if pattern is not None:
            yield pattern.address
        for task in (*self._dependences.successors(record), *self._dependences.of_children(record)):
            yield task.address

    def _is_on_stack(self, record: Record) -> bool:
        if record.address in self.current:
            return True
        begun = record.is_explicit and "started" in record.flags
        return begun and record.address not in self._queues.owner and "proxy" not in record.flags

    def _found(self) -> Iterator[Found]:
        for record in self._known.values():
            where = self._whereabouts(record)
            if where is not None:
                yield Found(record, where, self._queues.thread_of(record.address))

    def _whereabouts(self, record: Record) -> Optional[Whereabouts]:
        """Return where a task is, None for one that is executed, complete, or just being
        handed on."""
        if not record.is_explicit or not record.is_live or record.address in self.current:
            return None
        if record.address in self._queues.owner:
            return Whereabouts.QUEUED
        if "started" in record.flags:
            if "executing" in record.flags:
                return None
            detached = "proxy" in record.flags and record.awaits_event
            return Whereabouts.DETACHED if detached else Whereabouts.SUSPENDED
        if record.depnode and self._dependences.are_open(record):
            return Whereabouts.BLOCKED
        return None

    def _missing(self) -> Counter[int]:
        """Count by parent the tasks that it says are not complete and that are not known."""
        known = Counter(
            record.parent
            for record in self._known.values()
            if record.is_explicit and record.is_live and record.is_tracked
        )
        said = {
            record.address: signed(record.children)
            for record in self._known.values()
            if record.is_live
        }
        return Counter({a: n - known[a] for a, n in said.items() if n > known[a]})

    def _detached(self, missing: Counter[int]) -> Iterator[Record]:
        """Yield the tasks among those missing whose event is awaited."""
        memory = TaskMemory(self.fields, self.reader)
        for address in sorted({member for team in self.teams.values() for member in team.threads}):
            for record in memory.awaiting_events(address) if address else ():
                if record.parent in missing:
                    yield record


def _not_found(count: int) -> str:
    tasks = "1 task is" if count == 1 else f"{count} tasks are"
    return f"{tasks} counted as not complete and not found: just being made, or detached."


def search(
    graph: Graph,
    fields: TaskFields,
    threads: Sequence[OmpThread],
    schedulers: bool,
    reader: RecordReader,
) -> tuple[list[Found], list[str]]:
    """Return the tasks that no thread executes, and notes; none where what the runtime
    holds does not fit the layout, which a note says."""
    try:
        run = Search(graph, fields, threads, schedulers, reader)
        return run.run(), run.notes
    except (*READ_ERRORS, OmpdToolError) as error:
        return [], [f"Tasks that are not running are not known: {error}."]
