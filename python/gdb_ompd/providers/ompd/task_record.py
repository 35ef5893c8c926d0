# SPDX-License-Identifier: Apache-2.0
"""One task's record, read at once: ``kmp_taskdata_t`` and the ``kmp_task_t`` behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional, Sequence

from ...host.protocols import READ_ERRORS
from .graph import ADDRESS_MASK, Graph
from .task_fields import TaskFields
from .walk_facts import could_be_address

WORD = 8
_Value = Callable[..., int]


@dataclass(frozen=True, slots=True)
class Record:
    """What a task's record holds. FLAGS are those that are set, TEAM is the address of
    its team, ROUTINE of its function; SCHEDULER and LAST_TIED are tasks' addresses."""

    address: int
    flags: frozenset[str]
    parent: int
    team: int
    allocator: int
    routine: int
    shareds: int
    children: int
    dephash: int
    depnode: int
    last_tied: int
    scheduler: int
    awaits_event: bool  # its event has been handed out, and is not fulfilled

    @property
    def is_explicit(self) -> bool:
        """Tell an explicit task from an implicit or initial one."""
        return "tasktype" in self.flags

    @property
    def is_live(self) -> bool:
        """Tell whether the task is not complete."""
        return not self.flags & {"complete", "freed"}

    @property
    def is_tracked(self) -> bool:
        """Tell whether its parent counts it (``__kmp_track_children_task``)."""
        return bool(self.flags & {"proxy", "detachable"}) or not self.flags & {
            "team_serial",
            "tasking_ser",
        }


class Budget:
    """How many elements of lists and queues are looked at in all: lists in damaged memory
    may lead into each other."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    @property
    def is_spent(self) -> bool:
        """Tell whether a walk was cut short."""
        return self._left < 0

    def take(self) -> bool:
        """Take a step; tell whether there was one left."""
        self._left -= 1
        return self._left >= 0


class RecordReader:
    """Reads records at one stop, each once. RUNTIME is where the runtime's code is."""

    def __init__(
        self, graph: Graph, fields: TaskFields, runtime: Sequence[tuple[int, int]]
    ) -> None:
        self._runtime = runtime
        self._graph = graph
        self._fields = fields
        self._layout = layout = graph.layout
        names: tuple[str, ...] = ("tasktype", "team_serial", "tasking_ser", "started", "executing")
        names += ("complete", "freed", "final")
        self._flags = {name: layout.flag(name) for name in names}
        self._flags.update({name: fields.flag(name) for name in ("proxy", "detachable")})
        self.size = layout.sizeof("kmp_taskdata_t")
        self._routine = self.size + layout.access("kmp_task_t", "routine")
        info = layout.access("kmp_taskdata_t", "ompt_task_info")
        self._scheduler = info + layout.access("ompt_task_info_t", "scheduling_parent")
        self._order = graph.space.byte_order
        self._known: dict[int, Optional[Record]] = {}

    def read(self, address: int) -> Optional[Record]:
        """Return the record at ADDRESS, None where there can be none."""
        if address not in self._known:
            self._known[address] = self._read(address)
        return self._known[address]

    def _read(self, address: int) -> Optional[Record]:
        if address % WORD or not address or not could_be_address(address):
            return None
        try:
            data = self._graph.space.read(address, self._routine + WORD)
        except READ_ERRORS:
            return None

        def value(offset: int, size: int = WORD) -> int:
            return int.from_bytes(data[offset : offset + size], self._order)

        def published(name: str) -> int:
            return value(*self._layout.place("kmp_taskdata_t", name))

        def field(name: str) -> int:
            return value(*self._fields.places[f"kmp_taskdata_t.{name}"])

        bits = value(self._layout.access("kmp_taskdata_t", "td_flags"), 4)
        team = published("td_team")
        return Record(
            address,
            frozenset(name for name, mask in self._flags.items() if bits & mask),
            published("td_parent"),
            team + self._layout.access("kmp_team_p", "t") if team else 0,
            field("td_alloc_thread"),
            value(self._routine),
            value(self.size),
            field("td_incomplete_child_tasks"),
            field("td_dephash"),
            field("td_depnode"),
            field("td_last_tied"),
            value(self._scheduler),
            self._awaits_event(value, address),
        )

    def _awaits_event(self, value: _Value, address: int) -> bool:
        """Tell whether the record holds an event of this very task: the runtime empties
        it when it is fulfilled (``__kmp_fulfill_event``)."""
        event = self._fields.places["kmp_taskdata_t.td_allow_completion_event"][0]
        kind = value(event + self._fields.places["kmp_event_t.type"][0], 4)
        whose = value(event + self._fields.places["kmp_event_t.ed"][0])
        return kind == 1 and whose == address + self.size

    def word(self, address: int, size: int = WORD) -> int:
        """Read a number; damaged pointers wrap around, as they do in C."""
        return self._graph.space.read_uint(address & ADDRESS_MASK, size)

    def field(self, address: int, name: str) -> int:
        """Read the field "record.field" of the record at ADDRESS."""
        offset, size = self._fields.places[name]
        return self.word(address + offset, size)

    def function_of(self, record: Record) -> Optional[int]:
        """Return the user's function of a task."""
        if not self._is_own(record.routine):
            return record.routine or None
        pattern = self.pattern_of(record)
        return pattern.routine if pattern is not None else None

    def pattern_of(self, record: Record) -> Optional[Record]:
        """Return the task of a large ``taskloop`` that a task of the runtime's own divides:
        it is never executed itself, and counted as a child all the same.

        It is the first of what the other shares (``__taskloop_params_t``, kmp_tasking.cpp).
        """
        if not self._is_own(record.routine):
            return None
        try:
            pattern = self.read(self.word(record.shareds) - self.size)
        except READ_ERRORS:
            return None
        if pattern is None or not pattern.is_explicit or self._is_own(pattern.routine):
            return None
        return pattern

    def _is_own(self, function: int) -> bool:
        return any(start <= function < end for start, end in self._runtime)
