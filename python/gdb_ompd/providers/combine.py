# SPDX-License-Identifier: Apache-2.0
"""One view of a process from all of its OpenMP runtimes.

Nearly always there is one. With two (a program on libomp that loads a library
on libgomp), each thread belongs to the runtime that knows it.
"""

from __future__ import annotations

from itertools import groupby
from typing import Iterator, Mapping, NamedTuple, Sequence

from ..errors import LibraryFailed, NoRuntime, OmpdToolError
from ..model import ControlVariable, Icv, Region, TaskKind, Thread, ThreadKind
from ..host.modules import MappedModule
from .._native import NativeThread, RegionConstruct, TaskView, ThreadTasks
from .facts import WaitingViews
from .provider import Provider
from .detect import Detected


class _Part(NamedTuple):
    provider: Provider
    threads: tuple[Thread, ...]
    first_region: int  # what its regions' numbers are above


class Combined(NamedTuple):
    """All threads and regions of a process, and whom to ask for more."""

    threads: tuple[Thread, ...]
    regions: tuple[Region, ...]
    constructs: dict[int, RegionConstruct]
    notes: tuple[str, ...]
    parts: tuple[_Part, ...]
    chosen: Mapping[int, int] = {}  # the part of a thread that is as far inside in several

    @property
    def providers(self) -> tuple[Provider, ...]:
        """The providers that answer."""
        return tuple(part.provider for part in self.parts)

    def tasks(self, gdb_nums: Sequence[int]) -> list[TaskView]:
        """Return task chains, asking the provider that knows the thread."""
        found: list[TaskView] = []
        for provider, numbers in self._by_provider(gdb_nums):
            found.extend(provider.tasks(numbers))
        return found

    def task_ids(self, gdb_nums: Sequence[int]) -> ThreadTasks:
        """Return which tasks threads execute, of those whose provider can tell it."""
        found = ThreadTasks()
        for provider, numbers in self._by_provider(gdb_nums):
            try:
                found.add(provider.task_ids(numbers))
            except LibraryFailed:
                raise
            except OmpdToolError:
                continue
        return found

    def _by_provider(self, gdb_nums: Sequence[int]) -> Iterator[tuple[Provider, list[int]]]:
        """Yield GDB_NUMS, in their order, with the provider that knows these threads."""
        if len(self.parts) == 1:
            yield self.parts[0].provider, list(gdb_nums)
            return
        for position, numbers in groupby(gdb_nums, self._most_inside().__getitem__):
            yield self.parts[position].provider, list(numbers)

    def _most_inside(self) -> dict[int, int]:
        """Return for each thread the position of the part in whose region it is."""
        positions = range(len(self.parts))
        rows = zip(*(part.threads for part in self.parts))
        found = {row[0].gdb_num: max(positions, key=lambda p: _rank(row[p])) for row in rows}
        return {**found, **self.chosen}

    def undecided(self) -> list[int]:
        """Return the threads that have begun as many regions of one runtime as of another: which
        is the inner one their stacks tell."""
        rows = zip(*(part.threads for part in self.parts)) if len(self.parts) > 1 else ()
        depths = [(row[0].gdb_num, sorted(map(_inside, row))[-2:]) for row in rows]
        return [number for number, (one, other) in depths if one == other and one > 1]

    def by_stack(self, runtimes: Mapping[int, Provider]) -> Combined:
        """Return this with threads in the innermost region of these runtimes."""
        places = {part.provider: position for position, part in enumerate(self.parts)}
        chosen = {n: places[one] for n, one in runtimes.items() if one in places}
        rows = zip(self.threads, *(part.threads for part in self.parts))
        threads = tuple(
            row[1 + chosen[row[0].gdb_num]] if row[0].gdb_num in chosen else row[0] for row in rows
        )
        return self._replace(threads=threads, chosen=chosen)

    def innermost(self) -> dict[int, Provider]:
        """Return whose region each thread is in, nothing where there is one runtime."""
        if len(self.parts) == 1:
            return {}
        return {n: self.parts[position].provider for n, position in self._most_inside().items()}

    def views_of(self, gdb_num: int) -> list[Thread]:
        """Return a thread as each runtime has it that knows it."""
        rows = (thread for part in self.parts for thread in part.threads)
        return [row for row in rows if row.gdb_num == gdb_num and _depth(row) > _UNKNOWN]

    def provider_of(self, region: int) -> Provider:
        """Return whose the region with that number is."""
        return [part.provider for part in self.parts if part.first_region < region][-1]

    def with_runtime(self, region: Region) -> Region:
        """Return REGION with the file of its runtime, where there are several runtimes."""
        if len(self.parts) == 1:
            return region
        return region._replace(runtime=self.provider_of(region.id).file)

    def implicit_tasks(self, region: int) -> list[TaskView]:
        """Return a region's implicit tasks by thread number."""
        return self.provider_of(region).implicit_tasks(region)

    def waiting_tasks(self) -> WaitingViews:
        """Return the tasks that no thread executes, of all runtimes."""
        parts = [part.provider.waiting_tasks() for part in self.parts]
        return WaitingViews(
            tuple(view for said in parts for view in said.tasks),
            tuple(note for said in parts for note in said.notes),
            any(said.known for said in parts),
        )

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> list[Icv]:
        """Return ICVs of the runtimes, and of the threads and regions they know."""
        found: list[Icv] = []
        for position, part in enumerate(self.parts):
            last = (
                self.parts[position + 1].first_region
                if position + 1 < len(self.parts)
                else len(self.regions)
            )
            known = {each.gdb_num for each in part.threads if _depth(each) > _UNKNOWN}
            own = [number for number in gdb_nums if number in known]
            inside = [region for region in regions if part.first_region < region <= last]
            found.extend(part.provider.icvs(own, inside))
        return found

    def control_variables(self) -> list[ControlVariable]:
        """Return the control variables of every runtime."""
        return [v for part in self.parts for v in part.provider.control_variables()]


def combine(detected: Detected, natives: Sequence[NativeThread]) -> Combined:
    """Ask every provider; NoRuntime, or the only provider's error, if none answers."""
    parts: list[_Part] = []
    regions: list[Region] = []
    constructs: dict[int, RegionConstruct] = {}
    notes: list[str] = []
    errors: list[OmpdToolError] = []
    for provider in detected.providers:
        first = len(regions)
        try:
            view = provider.view(natives, first)
        except OmpdToolError as error:
            errors.append(error)
            continue
        regions.extend(view.regions)
        constructs.update(view.constructs)
        parts.append(_Part(provider, view.threads, first))
        notes.extend(view.notes)
    if not parts:
        raise errors[0] if errors else no_runtime(detected)
    notes.extend(f"Not shown: {error}" for error in errors)
    notes.extend(f"Not shown: {why_unreadable(each)}" for each in detected.unreadable_runtimes)
    unread = [p.file for p in detected.providers if p not in [part.provider for part in parts]]
    unread += [each.name for each in detected.unreadable_runtimes]
    threads = _doubted(_merged(parts), unread)
    return Combined(threads, tuple(regions), constructs, tuple(notes), tuple(parts))


def no_runtime(detected: Detected) -> OmpdToolError:
    """Return why a process without providers has none, as far as that is known."""
    if detected.why_nothing:
        return detected.why_nothing()
    if detected.unreadable_runtimes:
        return NoRuntime(why_unreadable(detected.unreadable_runtimes[0]))
    if detected.unreadable:
        which = detected.unreadable[0]
        return NoRuntime(f"no OpenMP runtime found, but {which.name} cannot be read: {which.why}")
    return NoRuntime(
        "no OpenMP runtime is mapped: the program is not built with OpenMP,"
        " or has not loaded its libraries yet"
    )


def why_unreadable(runtime: MappedModule) -> str:
    """Say of a runtime's file why it cannot be read."""
    return f"the OpenMP runtime {runtime.file} cannot be read: {runtime.why}"


def _merged(parts: Sequence[_Part]) -> tuple[Thread, ...]:
    """Take each thread from the runtime in whose region it is, the first if none knows it."""
    if len(parts) == 1:
        return parts[0].threads
    return tuple(max(row, key=_rank) for row in zip(*(part.threads for part in parts)))


_UNKNOWN = -2  # the depth of a thread that the runtime does not know


def _depth(thread: Thread) -> int:
    if thread.kind in (ThreadKind.NATIVE, None):
        return _UNKNOWN
    return -1 if thread.level is None else thread.level


def _inside(thread: Thread) -> int:
    """Return how far inside a runtime's regions a thread is: of two runtimes the greater number is
    that of the region which it executes. A thread executes the deeper of two regions, for a region
    waits for those that are begun in it. But a region that another thread has begun, so that this
    one is not its number 0, is around all regions that it has begun itself."""
    given = bool(thread.level and thread.thread_num)
    depth = _depth(thread)
    return 1 if given else depth if depth < 1 else depth + 1


def _rank(thread: Thread) -> tuple[int, bool, bool]:
    """Return what is the greatest for the runtime that a thread is in: of two that know it outside
    of regions, it is in that whose task it executes, or which it waits for."""
    return _inside(thread), thread.task is TaskKind.EXPLICIT, thread.waits_for is not None


def _doubted(threads: tuple[Thread, ...], unread: Sequence[str]) -> tuple[Thread, ...]:
    """Take nothing for no OpenMP thread while a runtime that could know it is not read."""
    if not unread:
        return threads
    why = f"no thread of the runtime that is read; {unread[0]} is not"
    return tuple(
        t._replace(kind=None, error=why) if t.kind is ThreadKind.NATIVE else t for t in threads
    )
