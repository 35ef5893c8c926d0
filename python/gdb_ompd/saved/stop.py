# SPDX-License-Identifier: Apache-2.0
"""A saved stop, which answers as the program did.

Each part of the document is read when it is asked for: of many files only one part may be.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Mapping, Optional, Protocol, Sequence

from ..errors import BadFile, NotInitialized, OmpdToolError
from ..explain.report import Report
from ..host import files
from ..model import (
    ControlVariable,
    Icv,
    Region,
    Snapshot,
    Status,
    Task,
    Thread,
    WaitingTasks,
)
from ..model.stacks import Stack
from .codec import Reader
from .document import (
    Bare,
    Circumstances,
    Failure,
    IcvsOf,
    PARTS,
    Ran,
    SCHEMA,
    TasksOf,
    WHAT,
)

LARGEST = 256 << 20  # bytes: that of 1000 threads has less than one million


_told: dict[Circumstances, set[str]] = {}  # by a saved stop what was said once of it


class AnyStop(Protocol):
    """What can be asked of an inferior at one stop, whether it is live or saved."""

    inferior: int
    prefix: str
    qualified: bool
    selected: Optional[int]  # thread

    @property
    def said_once(self) -> Sequence[str]:
        ...  # notes, of one process

    @property
    def numbers(self) -> Sequence[int]:
        ...  # of all its threads

    def status(self) -> Status:
        ...

    def everyone(self, locations: bool) -> Snapshot:
        ...  # of all inferiors

    def snapshot(self, locations: bool = True) -> Snapshot:
        ...

    def threads(self, locations: bool = True) -> tuple[Thread, ...]:
        ...

    def tasks(self, gdb_nums: Sequence[int]) -> tuple[Task, ...]:
        ...

    def waiting_tasks(self) -> WaitingTasks:
        ...

    def implicit_tasks(self, region: int) -> tuple[Task, ...]:
        ...

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> tuple[Icv, ...]:
        ...

    def control_variables(self) -> tuple[ControlVariable, ...]:
        ...

    def report(self) -> Report:
        ...

    def stacks(self, gdb_nums: Sequence[int], arguments: bool = False) -> dict[int, Stack]:
        ...

    def ran(self) -> dict[int, int]:
        ...  # each thread's ticks of processor time

    def not_told(self, notes: Sequence[str]) -> tuple[str, ...]:
        ...


class SavedStop:
    """An inferior at the stop that was saved. PATH is the file, which errors name."""

    def __init__(self, document: Mapping[str, Any], path: str = "") -> None:
        self._path = path
        self._document = document
        self._reader = Reader(document.get("tables"))
        self._parts: dict[str, Any] = {}
        self.circumstances: Circumstances = self._part("circumstances")
        self.inferior: int = self._part("inferior")
        self.prefix: str = f"{self.inferior}." if self._part("qualified") else ""
        self.qualified: bool = self._part("qualified")
        self.selected: Optional[int] = self._part("selected")
        self.numbers: tuple[int, ...] = self._part("numbers")
        self.said_once: tuple[str, ...] = self._part("said_once")
        self._failures: tuple[Failure, ...] = self._part("failures")

    def _part(self, name: str) -> Any:
        if name not in self._parts:
            field = PARTS[name]
            try:
                said = self._document.get(name)
                empty = said is None and field.default == ()
                self._parts[name] = () if empty else self._reader.value(field.hint, said)
            except BadFile as error:
                raise self._bad(f"{name}: {error}") from None
        return self._parts[name]

    def _bad(self, problem: str) -> BadFile:
        return BadFile(f"{self._path + ': ' if self._path else ''}no saved stop: {problem}")

    def _answered(self, question: str, gdb_num: Optional[int] = None) -> None:
        """Raise the error that QUESTION had then."""
        for failure in self._failures:
            if failure.question == question and failure.gdb_num == gdb_num:
                raise (NotInitialized if failure.early else OmpdToolError)(failure.text)

    def status(self) -> Status:
        """Return what "ompd status" shows."""
        status: Status = self._part("status")
        return status

    def everyone(self, locations: bool) -> Snapshot:
        """Return the threads of all inferiors."""
        self._answered("everyone")
        return Snapshot(self._threads(locations), (), self._part("listing_notes"), self.qualified)

    def snapshot(self, locations: bool = True) -> Snapshot:
        """Return threads and regions; without LOCATIONS as the runtime alone has them."""
        self._answered("snapshot")
        threads = tuple(t for t in self._threads(locations) if t.inferior == self.inferior)
        return Snapshot(threads, self._regions(), self._part("notes"), self.qualified)

    def threads(self, locations: bool = True) -> tuple[Thread, ...]:
        """Return the threads."""
        return self.snapshot(locations).threads

    def _regions(self) -> tuple[Region, ...]:
        regions: tuple[Region, ...] = self._part("regions")
        known = {region.id for region in regions} | {None}
        around = {region.parent for region in regions}
        if len(known) <= len(regions) or not around <= known:
            raise self._bad("its regions do not fit together")
        return regions

    def _threads(self, locations: bool) -> tuple[Thread, ...]:
        threads: tuple[Thread, ...] = self._part("threads")
        known = {region.id for region in self._regions()} | {None}
        if any(t.inferior == self.inferior and t.region not in known for t in threads):
            raise self._bad("a thread is in no region of it")
        if locations:
            return threads
        listed: tuple[Bare, ...] = self._part("bare")
        bare = {(each.inferior, each.gdb_num): each for each in listed}

        def alone(thread: Thread) -> Thread:
            other = bare.get((thread.inferior, thread.gdb_num))
            if other is None:
                return replace(thread, location=None)
            return replace(thread, location=None, state=other.state, waits_for=other.waits_for)

        return tuple(map(alone, threads))

    def tasks(self, gdb_nums: Sequence[int]) -> tuple[Task, ...]:
        """Return the task chains of these threads, innermost first."""
        self._answered("tasks", gdb_nums[0] if len(gdb_nums) == 1 else None)
        tasks: tuple[Task, ...] = self._part("tasks")
        if any(min(t.depth, t.generating or 0, t.scheduling or 0) < 0 for t in tasks):
            raise self._bad("a task of it has no depth")
        chosen = frozenset(gdb_nums)
        return tuple(task for task in tasks if task.gdb_num in chosen)

    def waiting_tasks(self) -> WaitingTasks:
        """Return the explicit tasks that no thread executes."""
        self._answered("waiting_tasks")
        waiting: Optional[WaitingTasks] = self._part("waiting_tasks")
        return waiting or WaitingTasks()

    def implicit_tasks(self, region: int) -> tuple[Task, ...]:
        """Return the implicit tasks of a region that the selected thread's stack leads to."""
        known: tuple[TasksOf, ...] = self._part("implicit_tasks")
        return next((of.tasks for of in known if of.region == region), ())

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> tuple[Icv, ...]:
        """Return the ICVs of the process, these threads and these regions."""
        self._answered("icvs", gdb_nums[0] if len(gdb_nums) == 1 else None)
        threads, inside = frozenset(gdb_nums), frozenset(regions)
        known: tuple[IcvsOf, ...] = self._part("icvs")
        return tuple(
            replace(icv, owner=of.owner)
            for of in known
            for icv in of.icvs
            if of.owner is None or of.owner.gdb_num in threads or of.owner.region in inside
        )

    def control_variables(self) -> tuple[ControlVariable, ...]:
        """Return the display control variables."""
        self._answered("control_variables")
        variables: tuple[ControlVariable, ...] = self._part("control_variables")
        return variables

    def report(self) -> Report:
        """Return what "ompd why" says."""
        self._answered("report")
        report: Optional[Report] = self._part("report")
        if report is None:
            raise self._bad("it says neither why nor why not")
        return report

    def stacks(self, gdb_nums: Sequence[int], arguments: bool = False) -> dict[int, Stack]:
        """Return these threads' stacks, without those that ran. With arguments are those of
        which the selected thread's consists."""
        self._answered("stacks")
        known: tuple[Stack, ...] = self._part("stacks")
        wanted = frozenset(gdb_nums)
        return {stack.gdb_num: stack for stack in known if stack.gdb_num in wanted}

    def ran(self) -> dict[int, int]:
        """Return how long threads had run, where the kernel was asked."""
        known: tuple[Ran, ...] = self._part("ran")
        return {each.gdb_num: each.ticks for each in known}

    def not_told(self, notes: Sequence[str]) -> tuple[str, ...]:
        """Return NOTES without those that are said once and were, of this stop."""
        told = _told.setdefault(self.circumstances, set())
        left = tuple(note for note in notes if note not in told)
        told.update(note for note in notes if note in self.said_once)
        return left


def load(path: str) -> SavedStop:
    """Return the stop that is saved in a file; BadFile if there is none."""
    try:
        document = json.loads(files.read(path, LARGEST))
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError, MemoryError):
        raise BadFile(f"{path}: no saved stop: not JSON") from None
    if not isinstance(document, dict) or document.get("what") != WHAT:
        raise BadFile(f"{path}: no saved stop")
    if document.get("schema") != SCHEMA:
        raise BadFile(f"{path}: its schema is not {SCHEMA}: another version of gdb-ompd reads it")
    return SavedStop(document, path)
