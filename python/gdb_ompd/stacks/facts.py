# SPDX-License-Identifier: Apache-2.0
"""What logical stacks are made of, read through a session as it is asked for."""

from __future__ import annotations

from typing import Optional, Protocol, Sequence

from .teams import LogicalFacts
from ..errors import NoProcess, OmpdToolError
from ..model import Snapshot, Task
from ..model.stacks import Stack


class Source(Protocol):
    """What stacks and tasks are read from."""

    def snapshot(self, locations: bool = True) -> Snapshot:
        ...

    def stacks(self, gdb_nums: Sequence[int], arguments: bool = False) -> dict[int, Stack]:
        ...

    def tasks(self, gdb_nums: Sequence[int]) -> tuple[Task, ...]:
        ...

    def implicit_tasks(self, region: int) -> tuple[Task, ...]:
        ...


class StackFacts(LogicalFacts):
    """Reads stacks and tasks of one inferior, each once."""

    def __init__(self, session: Source, arguments: bool = False, locations: bool = True) -> None:
        self._session = session
        self._arguments = arguments
        self._stacks: dict[int, Stack] = {}
        self._chains: dict[int, tuple[Task, ...]] = {}
        self._implicit: dict[int, tuple[Task, ...]] = {}
        self._why_not: Optional[OmpdToolError] = None
        snapshot: Optional[Snapshot] = None
        try:
            snapshot = session.snapshot(locations)
        except NoProcess:
            raise
        except OmpdToolError as error:
            self._why_not = error  # stacks can be shown all the same
        super().__init__(snapshot, self._stack, self._chain, self._implicit_tasks)

    def notes(self) -> tuple[str, ...]:
        """Say why regions and tasks are not known, if they are not."""
        return () if self._why_not is None else (f"No regions and tasks: {self._why_not}",)

    def readable(self) -> Snapshot:
        """Return the snapshot; OmpdToolError where OpenMP cannot be read."""
        if self.snapshot is None:
            raise self._why_not or NoProcess()
        return self.snapshot

    def read_all(self, gdb_nums: Sequence[int]) -> None:
        """Read these threads' stacks at once, which costs less than one by one."""
        self._stacks.update(self._session.stacks(gdb_nums, self._arguments))

    def _stack(self, gdb_num: int) -> Optional[Stack]:
        if gdb_num not in self._stacks:
            self._stacks.update(self._session.stacks([gdb_num], self._arguments))
        return self._stacks.get(gdb_num)

    def _chain(self, gdb_num: int) -> tuple[Task, ...]:
        if gdb_num not in self._chains:
            self._chains[gdb_num] = self._session.tasks([gdb_num]) if self.snapshot else ()
        return self._chains[gdb_num]

    def _implicit_tasks(self, region: int) -> tuple[Task, ...]:
        if region not in self._implicit:
            self._implicit[region] = self._session.implicit_tasks(region)
        return self._implicit[region]
