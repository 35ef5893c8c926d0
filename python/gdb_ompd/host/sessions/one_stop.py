# SPDX-License-Identifier: Apache-2.0
"""One inferior at one stop: what its runtimes say, completed from the stacks.

Dropped as soon as the inferior may have changed. This inferior must be the
selected one while any of it is asked, and the user's selection is the caller's
to put back.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Collection, Optional, Sequence

import gdb

from ... import _native
from ...errors import LibraryFailed, NotInitialized, OmpdToolError
from ...model import (
    OMP_KINDS,
    Region,
    Snapshot,
    Thread,
    ThreadKind,
    WaitingTask,
    WaitingTasks,
)
from ...model.cpus import Rejected, Used
from ...model.waits import distinct
from ..environment import environment, is_forked, scheduler_locking
from ..fatal_signals import FatalSignal, fatal_signals
from ..processor_times import ProcessorTimes
from ..runtimes.notes import STATES_OFF, marked, of_doubts, of_threads
from ..selection import kept_selection, numbers_are_qualified
from ..target import GdbTarget
from .files import InferiorFiles
from .stop_host import GdbStopHost

# Each is loaded when it is first asked for: a listing does not wait for the rest.
if TYPE_CHECKING:
    from ...explain.facts import Facts
    from ...model.cpus import CpuFacts
    from ...model.devices import Devices
    from ...model.teams import TeamSize
    from ...model.waits import Wait
    from ..runtimes.provider import Provider
    from .stacks import GdbStacks

NO_WORKERS = (
    "This process was forked from one with OpenMP threads, which fork() does not copy: the next"
    " region of several threads that GDB thread {} begins will wait for them forever."
)


class OneStop:
    """Everything that is read while the inferior stands still, each thing once."""

    def __init__(
        self,
        inferior: gdb.Inferior,
        target: GdbTarget,
        files: InferiorFiles,
        times: ProcessorTimes,
    ) -> None:
        self._inferior = inferior
        self._times = times
        self._files = files
        self._host = GdbStopHost(inferior, target, files)
        self.native: _native.Stop = _native.Stop(self._host.natives, inferior.pid, self._host)
        self.is_to_be_asked_again = self._host.is_to_be_asked_again
        self._signals: Optional[dict[int, FatalSignal]] = None
        self._settings: Optional[dict[str, str]] = None

    def providers(self) -> tuple[Provider, ...]:
        """Return the providers that answer. Raises OmpdToolError if no runtime can be read."""
        self.native.check()
        return tuple(self._host.providers)

    def stacks(self) -> GdbStacks:
        """Return what reads single threads' stacks."""
        return self._host.gdb_stacks()

    def regions(self) -> tuple[Region, ...]:
        """Return the regions, each with its construct's place. Keeps the selection."""
        with self.stacks().frames.kept_selection():
            return self.native.regions

    def threads(self, locations: bool, chosen: Optional[int]) -> tuple[Thread, ...]:
        """Return the threads; CHOSEN is the number of the one that is selected. Keeps the
        selection."""
        if locations:
            with self.stacks().frames.kept_selection():
                threads = distinct(self.native.listed(True))
        else:
            threads = self._without_locations()
        signals = self.signals()
        if signals:
            named = {number: signal.name for number, signal in signals.items()}
            threads = tuple(
                [t._replace(signal=named[t.gdb_num]) if t.gdb_num in named else t for t in threads]
            )
        numbers = list(map(attrgetter("gdb_num"), threads))
        if chosen not in numbers:
            return threads
        at = numbers.index(chosen)
        return (*threads[:at], threads[at]._replace(selected=True), *threads[at + 1 :])

    def _without_locations(self) -> tuple[Thread, ...]:
        # What is not known of a thread's kind its stack may tell.
        threads = self.native.threads
        if all([thread.kind is not None or thread.error for thread in threads]):
            return threads
        with self.stacks().frames.kept_selection():
            return self.native.listed(False)

    def devices(self, chosen: Optional[int]) -> Devices:
        """Return the devices that the process can use; CHOSEN is the number of the thread that is
        selected. Needs no OMPD library: without one the default device is not known."""
        from .devices import devices_of

        found = _native.offload_devices(self._files.space(), self._files.readable())
        detected = self._files.detected()
        if not found and (detected.why_nothing or detected.unreadable_runtimes):
            raise detected.why_none()
        try:
            threads = self.threads(True, chosen)
            icvs = self.native.icvs([] if chosen is None else [chosen], [])
        except LibraryFailed:
            raise
        except OmpdToolError:
            threads, icvs = self.plain_threads(True, chosen), []
        seen_by = [t.gdb_num for t in threads if t.selected or t.target is not None]
        with kept_selection():
            return devices_of(
                found, threads, icvs, self._environment(), partial(self._object_at, seen_by)
            )

    def _object_at(self, seen_by: Sequence[int], address: int, size: int) -> Optional[str]:
        """Return what the user calls the SIZE bytes at ADDRESS, where one of these threads sees
        them."""
        from ..object_names import variable_name

        frames = map(self.stacks().frames.users, seen_by)
        names = (variable_name(address, frame, size) for frame in (*frames, None))
        return next((name for name in names if name is not None), None)

    def team_sizes(self, snapshot: Snapshot, region_ids: Collection[int]) -> tuple[TeamSize, ...]:
        """Return why the teams of these regions of SNAPSHOT have their sizes."""
        from ...model.teams import NUM_THREADS, SizeRule, TeamSize

        environment = self._environment()
        numbers = [each.id for each in snapshot.regions if each.id in region_ids]
        with kept_selection():
            found = self.native.team_sizes(numbers, environment)
        return tuple(
            TeamSize(
                each.region,
                SizeRule(each.rule),
                each.certain,
                each.notable,
                each.size,
                each.asked,
                each.nthreads,
                each.limit,
                environment.get(each.variable or NUM_THREADS),
                each.variable,
                each.others,
            )
            for each in found
        )

    def begins_none(self, gdb_num: int) -> Optional[str]:
        """Return the file of the user's code that a thread is in, if that begins no region: it was
        compiled without OpenMP."""
        place = self._wait_at(gdb_num).location
        if place is None:
            return None
        begins = _native.begins_regions(self.stacks().reader, place.pc)
        code = self._files.sources.code_at(place.pc) if begins is False else None
        return code and code.file

    def signals(self) -> dict[int, FatalSignal]:
        """Return the signals that have stopped threads and end the program."""
        if self._signals is None:
            self._signals = fatal_signals(self._inferior)
        return self._signals

    def plain_threads(
        self, locations: bool = False, chosen: Optional[int] = None
    ) -> tuple[Thread, ...]:
        """Return the threads as GDB alone has them, where OpenMP cannot be read."""
        threads = self.native.plain_threads(locations)
        return tuple(t._replace(selected=True) if t.gdb_num == chosen else t for t in threads)

    def notes(self) -> tuple[str, ...]:
        """Return what is to be said below a listing of the threads."""
        disagreements, lost = self.native.disagreements, self._host.unreadable_stacks()
        differ = [f"Thread {n}: {why}." for n, why in sorted(disagreements.items())]
        whys = [(n, lost[n].rstrip(".")) for n in sorted(lost)]
        unread = [f"Thread {n}: its stack cannot be read: {why}." for n, why in whys]
        return (*self._runtimes_notes(), *differ, *unread)

    def _runtimes_notes(self) -> tuple[str, ...]:
        """Return what the runtimes' libraries did not tell, and what is not shown."""
        threads, regions = self._without_locations(), self.native.teams
        if any([region.doubts for region in regions]):
            regions = self.regions()
        not_told = (*of_threads(threads), *self._host.told)
        not_told += tuple(of_doubts("region", [region.doubts for region in regions]))
        notes = (*not_told, *self._files.notes())
        if any([thread.kind is ThreadKind.WORKER for thread in threads]):
            return notes  # who has workers is in no process that was just forked
        forked = self.native.without_workers()
        return notes if forked is None else (*notes, NO_WORKERS.format(forked))

    def waits(self) -> dict[int, Wait]:
        """Return by GDB number where each stopped thread is and what it waits for."""
        return self.native.waits()

    def _wait_at(self, gdb_num: int) -> Wait:
        with self.stacks().frames.kept_selection():
            return self.native.wait(gdb_num)

    def hang_facts(self) -> Facts:
        """Return what tells why the program does not go on. Where OMPD cannot be read
        there are no teams, and a note says so."""
        from ...explain.facts import Facts
        from .crashes import callbacks, crashes, overflows

        try:
            regions = self.regions()
            notes = tuple([note for note in self._runtimes_notes() if note != STATES_OFF])
        except LibraryFailed:
            raise
        except OmpdToolError as error:
            if self._files.detected().why_nothing and not isinstance(error, NotInitialized):
                raise  # whose code is where is not known either: stacks would tell nothing
            regions = ()
            notes = (f"Teams and tasks are not known: {error}",)
        stacks, read, signals = self.stacks(), self.native.facts(), self.signals()
        threads = read.rows
        return Facts(
            read.threads,
            regions,
            read.locks,
            complete=not any(thread.running for thread in threads),
            notes=notes,
            qualified=numbers_are_qualified(),
            overflows=overflows(self._inferior, stacks, threads, signals),
            waiting_tasks=self._waiting_or_unknown(),
            crashes=crashes(stacks, signals),
            forked=is_forked(self._inferior),
            callbacks=callbacks(stacks, read.called_back),
            cpus=self._cpus(threads, regions),
            used=tuple([Used(*each) for each in self._times.since()]),
            so_far=tuple([Used(*each) for each in self._times.so_far()]),
            rejected=self._rejected(threads),
            untold=self._untold(),
            scheduler_locking=scheduler_locking(),
        )

    def _cpus(self, threads: Sequence[Thread], regions: Sequence[Region]) -> Optional[CpuFacts]:
        """Return what THREADS may run on, where they share CPUs."""
        from .cpus import cpu_facts

        def processors() -> Optional[int]:
            if not self._host.providers:
                return None
            icvs = (icv for icv in self.native.icvs([], []) if icv.name == "num-procs-var")
            return next((icv.value for icv in icvs if isinstance(icv.value, int)), None)

        is_nested = sum([(region.team_size or 1) > 1 for region in regions]) > 1
        return cpu_facts(self._inferior, threads, self._environment, processors, is_nested)

    def _untold(self) -> Optional[str]:
        """Return why the kernel is not asked of threads, None where it is."""
        from .cpus import why_untold

        return why_untold(self._inferior, bool(self._times.so_far()))

    def _environment(self) -> dict[str, str]:
        if self._settings is None:
            self._settings = environment(self._files.space())
        return self._settings

    def _rejected(self, threads: Sequence[Thread]) -> tuple[Rejected, ...]:
        """Return what of the environment the runtimes do not take. They are asked only where it has
        such a value, for the program may have changed its environment since they have read it."""
        own = self._environment()
        found = _native.rejected_settings(own)
        if not found:
            return ()
        try:
            native, of = self.native, [t.gdb_num for t in threads if t.kind in OMP_KINDS][:1]
            every = marked(native.control_variables(), lambda: native.icvs(of, []))
        except LibraryFailed:
            raise
        except OmpdToolError:  # one that ended the program before it was ready
            return tuple([Rejected(name, own[name]) for name in sorted(found)])
        told = (Rejected(v.name, v.value or "", v.in_force) for v in every if v.rejected)
        return tuple(dict.fromkeys(told))

    def waiting_tasks(self) -> WaitingTasks:
        """Return the explicit tasks that are created and that no thread executes."""
        with kept_selection():
            said = self.native.waiting_tasks()
        notes = (
            *said.notes,
            *(self._host.providers[position].runtime.tasks_unknown for position in said.unknown),
        )
        return WaitingTasks(tuple(said.tasks), notes, len(said.unknown) < len(self._host.providers))

    def _waiting_or_unknown(self) -> Optional[tuple[WaitingTask, ...]]:
        """Return the tasks that no thread executes, those that are held with their places,
        None if they are not known."""
        try:
            said = self.native.waiting_tasks(of_held=True)
        except LibraryFailed:
            raise
        except OmpdToolError:
            return None
        return tuple(said.tasks) if len(said.unknown) < len(self._host.providers) else None
