# SPDX-License-Identifier: Apache-2.0
"""A saved stop, which answers as the program did.

Each part of the document is read when it is asked for: of many files only one part may be.
"""

from __future__ import annotations

from typing import (
    Any,
    Collection,
    Hashable,
    Iterator,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    Tuple,
)

from ..errors import BadFile, NotInitialized, OmpdToolError
from ..explain.facts import Facts
from ..explain.report import Report, Verdict
from ..explain.verdict import explain
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
from ..model.stacks import Segment, Stack
from ..model.cpus import Places
from ..model.devices import Devices
from ..model.teams import TeamSize
from ..stacks.facts import Source
from .codec import Json, Reader
from .document import (
    Bare,
    Circumstances,
    Failure,
    IcvsOf,
    Members,
    PARTS,
    Ran,
    SCHEMA,
    TasksOf,
    WHAT,
)

FACTS = "facts of gdb-ompd"  # what a document of facts alone is
FACTS_ALONE = "it holds facts alone: 'ompd why' takes them"
LARGEST = 256 << 20  # bytes: that of 1000 threads has less than one million


_told: dict[Circumstances, set[str]] = {}  # by a saved stop what was said once of it


# What of a thread two must have in common that do the same, besides what they wait for.
_SAME = ("location", "state", "running", "idle", "signal", "error", "kind", "outside")


class Brief(NamedTuple):
    """What "ompd why" said first when the stop was saved."""

    verdict: Verdict
    text: str


class Alike(NamedTuple):
    """So many THREADS that do the same: ONE of them with its stack, and the OpenMP thread numbers
    of those that have one."""

    one: Thread
    segments: tuple[Segment, ...]
    threads: int
    numbers: tuple[int, ...]


class AnyStop(Source, Protocol):
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

    def threads(self, locations: bool = True) -> tuple[Thread, ...]:
        ...

    def waiting_tasks(self) -> WaitingTasks:
        ...

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> tuple[Icv, ...]:
        ...

    def control_variables(self) -> tuple[ControlVariable, ...]:
        ...

    def team_sizes(self, snapshot: Snapshot, region_ids: Collection[int]) -> tuple[TeamSize, ...]:
        ...  # why the teams of these regions have their sizes, as far as it is known

    def cpus(self) -> Places:
        ...  # which CPUs the threads may run on

    def devices(self) -> Devices:
        ...  # those that the process can use, and what is mapped there

    def begins_none(self) -> Optional[str]:
        ...  # the selected thread's file, if that begins no region

    def facts(self) -> Optional[Facts]:
        ...  # what the report is concluded from, None where it was not saved

    def report(self) -> Report:
        ...

    def ran(self) -> dict[int, int]:
        ...  # each thread's milliseconds of processor time

    def not_told(self, notes: Sequence[str]) -> tuple[str, ...]:
        ...


class SavedStop:
    """An inferior at the stop that was saved. PATH is the file, which errors name."""

    def __init__(self, document: Members, path: str = "") -> None:
        self._path = path
        self._document = document
        self._reader = Reader(document.get)
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
            said = self._member(name)
            empty = said is None and field.default == ()
            self._parts[name] = () if empty else self._value(field.hint, said, name)
        return self._parts[name]

    def _member(self, name: str) -> Any:
        try:
            return self._document.get(name)
        except BadFile as error:
            raise self._bad(f"{name}: {error}") from None

    def _value(self, hint: Any, document: Any, name: str) -> Any:
        try:
            return self._reader.value(hint, document)
        except BadFile as error:
            raise self._bad(f"{name}: {error}") from None

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
            if other is not None:
                thread = thread._replace(state=other.state, waits_for=other.waits_for)
            return thread._replace(location=None, outside=None)

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
            icv._replace(owner=of.owner)
            for of in known
            for icv in of.icvs
            if of.owner is None or of.owner.gdb_num in threads or of.owner.region in inside
        )

    def control_variables(self) -> tuple[ControlVariable, ...]:
        """Return the display control variables."""
        self._answered("control_variables")
        variables: tuple[ControlVariable, ...] = self._part("control_variables")
        return variables

    def team_sizes(self, snapshot: Snapshot, region_ids: Collection[int]) -> tuple[TeamSize, ...]:
        """Return why the teams of these regions have their sizes, where that was saved."""
        known: tuple[TeamSize, ...] = self._part("team_sizes")
        return tuple(size for size in known if size.region in region_ids)

    def cpus(self) -> Places:
        """Return which CPUs the threads may run on, and how they did."""
        self._answered("cpus")
        places: Optional[Places] = self._part("cpus")
        return places or Places(notes=("It was saved without the threads' CPUs.",))

    def devices(self) -> Devices:
        """Return the devices that the process could use, and what was mapped there."""
        self._answered("devices")
        devices: Optional[Devices] = self._part("devices")
        return devices or Devices(unknown=("It was saved without the devices.",))

    def begins_none(self) -> Optional[str]:
        """Return the file that the selected thread was in, if that begins no region."""
        file: Optional[str] = self._part("begins_none")
        return file

    def facts(self) -> Optional[Facts]:
        """Return what "ompd why" concludes from, None in a file of before 0.2."""
        self._answered("report")
        facts: Optional[Facts] = self._part("facts")
        return facts

    def report(self) -> Report:
        """Return what "ompd why" says, concluded anew where the file has facts."""
        facts = self.facts()
        if facts is not None:
            return explain(facts)
        report: Optional[Report] = self._part("report")
        if report is None:
            raise self._bad("it says neither why nor why not")
        return report

    def brief(self) -> Brief:
        """Return what "ompd why" said first."""
        self._answered("report")
        brief: Brief = self._value(Brief, self._member("report"), "report")
        return brief

    def alike(self) -> Iterator[Alike]:
        """Yield the inferior's threads, those that do the same once. Of the others only what
        tells them apart is read."""
        self._answered("everyone")
        found: dict[Hashable, list[Json]] = {}
        try:
            stacks = {row["gdb_num"]: row.get("segments") or () for row in self._rows("stacks")}
            for row in self._rows("threads"):
                if row["inferior"] == self.inferior:
                    waits = row.get("waits_for") or {}
                    own = (*map(row.get, _SAME), waits.get("kind"), waits.get("name"))
                    key = (*own, *stacks.get(row["gdb_num"], ()))
                    found.setdefault(key, []).append(row)
        except (AttributeError, KeyError, TypeError):
            raise self._bad("its threads are no threads") from None
        for same in found.values():
            thread = self._value(Thread, same[0], "threads")
            stack = list(stacks.get(thread.gdb_num, ()))
            numbers = [row["thread_num"] for row in same if row.get("thread_num") is not None]
            yield Alike(
                thread,
                self._value(Tuple[Segment, ...], stack, "stacks"),
                len(same),
                self._value(Tuple[int, ...], numbers, "threads"),
            )

    def _rows(self, name: str) -> Sequence[Json]:
        rows: Sequence[Json] = self._member(name) or ()
        return rows

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
        return {each.gdb_num: each.milliseconds for each in known}

    def not_told(self, notes: Sequence[str]) -> tuple[str, ...]:
        """Return NOTES without those that are said once and were, of this stop."""
        told = _told.setdefault(self.circumstances, set())
        left = tuple(note for note in notes if note not in told)
        told.update(note for note in notes if note in self.said_once)
        return left


def load(path: str) -> SavedStop:
    """Return the stop that is saved in a file; BadFile if there is none."""
    return SavedStop(members(path, WHAT), path)


def members(path: str, *kinds: str) -> Members:
    """Return the document in a file, which is of one of the KINDS; BadFile if there is none."""
    try:
        document = Members(files.read(path, LARGEST).decode("utf-8"))
        what, schema = document.get("what"), document.get("schema")
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror or error}") from None
    except (BadFile, ValueError):
        raise BadFile(f"{path}: no saved stop: not JSON") from None
    if what not in kinds:
        raise BadFile(f"{path}: {FACTS_ALONE if what == FACTS else 'no saved stop'}")
    if schema != SCHEMA:
        raise BadFile(f"{path}: its schema is not {SCHEMA}: another version of gdb-ompd reads it")
    return document
