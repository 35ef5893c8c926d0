# SPDX-License-Identifier: Apache-2.0
"""One inferior at one stop: what its runtimes say, completed from the stacks.

Dropped as soon as the inferior may have changed. This inferior must be the
selected one while any of it is asked, and the user's selection is the caller's
to put back.
"""

from __future__ import annotations

from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Callable, Collection, Iterator, Optional, Sequence

import gdb

from .. import _native
from .._native import AllRuntimes, NativeThread, ThreadPlace
from ..errors import LibraryFailed, NotInitialized, OmpdToolError
from .files import InferiorFiles
from ..model import (
    OMP_KINDS,
    Region,
    Thread,
    ThreadKind,
    Snapshot,
    WaitingTask,
    WaitingTasks,
)
from ..model.cpus import Rejected, Used
from ..model.waits import distinct
from ..host.mappings import FileMappings
from ..host.environment import environment, is_forked, scheduler_locking
from ..host.fatal_signals import FatalSignal, fatal_signals
from ..host.moments import one_command
from ..host.processor_times import ProcessorTimes
from ..host.runtimes.detect import why_unreadable
from ..host.runtimes.notes import Doubts, but_kinds, marked, of_doubts
from ..host.runtimes.provider import STATES_OFF
from ..host.selection import kept_selection, numbers_are_qualified
from ..host.target import GdbTarget

# Each is loaded when it is first asked for: a listing does not wait for the rest.
if TYPE_CHECKING:
    from ..model.waits import Wait
    from ..host.runtimes.provider import Provider
    from .places import Stacks
    from ..explain.facts import Facts
    from ..model.cpus import CpuFacts
    from ..model.devices import Devices
    from ..model.teams import TeamSize

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
        self._target = target
        self._files = files
        # Native code keeps this function, and Python's collector does not look there: a method of
        # this object would keep it in memory after the stop.
        self._natives: Callable[[], list[NativeThread]] = cache(self._target.threads)
        self._combined: Optional[AllRuntimes] = None
        self._parts: list[Provider] = []  # of the runtimes that it is of, in its order
        self._told: list[str] = []  # what is to be said of them
        self._doubts: list[Doubts] = []  # what they do not tell of threads
        # Why nothing can be read, and the number of the command that has found it out.
        self._why: Optional[OmpdToolError] = None
        self._failed_in = 0
        self._placed: Optional[_native.Stop] = None
        self._regions: Optional[tuple[Region, ...]] = None
        self._stacks: Optional[Stacks] = None
        self._hangs: Optional[_native.HangReader] = None
        self._reader: Optional[_native.StopReader] = None
        self._disagreements: dict[int, str] = {}
        self._signals: Optional[dict[int, FatalSignal]] = None
        self._settings: Optional[dict[str, str]] = None

    def combined(self) -> AllRuntimes:
        """Return what the runtimes say. Raises OmpdToolError if none can be read, which is found
        out once for all that a command asks: it may ask of every thread."""
        if self._combined is None:
            if self._failed_in == one_command.number and self._why is not None:
                raise self._why
            try:
                self._combined = combined = self._combine()
            except OmpdToolError as error:
                self._why, self._failed_in = error, one_command.number
                raise
            undecided = combined.undecided()
            if undecided:
                with self.stacks().frames.kept_selection():
                    combined.decide(self.places(undecided), self.stacks().calls)
        return self._combined

    def _combine(self) -> AllRuntimes:
        """Ask every provider; raise NoRuntime, or the first one's error, if none answers."""
        detected, found = self._files.detected(), AllRuntimes(self._natives())
        parts: list[Provider] = []
        told: list[str] = []
        doubts: list[Doubts] = []
        errors: dict[str, OmpdToolError] = {}
        for provider in detected.providers:
            try:
                said, unsaid = provider.read_into(found)
                told += said
                doubts.append(unsaid)
                parts.append(provider)
            except OmpdToolError as error:
                errors[provider.file] = error
        if not parts:
            raise next(iter(errors.values()), None) or detected.why_none()
        unread = {name: str(error) for name, error in errors.items()}
        unread.update((each.name, why_unreadable(each)) for each in detected.unreadable_runtimes)
        if unread:
            told += [f"Not shown: {why}" for why in unread.values()]
            found.doubt(f"no thread of the runtime that is read; {next(iter(unread))} is not")
        self._parts, self._told, self._doubts = parts, told, doubts
        return found

    def providers(self) -> tuple[Provider, ...]:
        """Return the providers that answer."""
        self.combined()
        return tuple(self._parts)

    def stacks(self) -> Stacks:
        """Return what reads single threads' stacks."""
        if self._stacks is None:
            self._stacks = self._files.new_stacks(self._natives)
        return self._stacks

    def stop(self) -> _native.Stop:
        """Return the regions and tasks of the runtimes; see Stop in the native module."""
        if self._placed is None:
            self._placed = _native.Stop(self.combined(), self.stacks().calls)
        return self._placed

    def regions(self) -> tuple[Region, ...]:
        """Return the regions, each with its construct's place. Keeps the selection."""
        if self._regions is None:
            with self.stacks().frames.kept_selection():
                self._regions = self._stop_reader().regions(self.stop(), self)
        return self._regions

    def threads(self, locations: bool, chosen: Optional[int]) -> tuple[Thread, ...]:
        """Return the threads; CHOSEN is the number of the one that is selected. Keeps the
        selection."""
        threads = self.combined().threads
        if locations:
            with self.stacks().frames.kept_selection():
                completed = self._stop_reader().listed(threads, self)
            threads, self._disagreements = distinct(completed.threads), completed.disagreements
        elif any(thread.kind is None and not thread.error for thread in threads):
            threads = self._in_targets(threads)
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

    def devices(self, chosen: Optional[int]) -> Devices:
        """Return the devices that the process can use; CHOSEN is the number of the thread that is
        selected. Needs no OMPD library: without one the default device is not known."""
        from .offload import devices_of

        found = _native.offload_devices(self._files.space(), self._files.readable())
        try:
            threads = self.threads(True, chosen)
            icvs = self.combined().icvs([] if chosen is None else [chosen], [])
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
        from ..host.object_names import variable_name

        frames = map(self.stacks().frames.users, seen_by)
        names = (variable_name(address, frame, size) for frame in (*frames, None))
        return next((name for name in names if name is not None), None)

    def team_sizes(self, snapshot: Snapshot, region_ids: Collection[int]) -> tuple[TeamSize, ...]:
        """Return why the teams of these regions of SNAPSHOT have their sizes."""
        from ..model.teams import NUM_THREADS, SizeRule, TeamSize

        environment = self._environment()
        numbers = [each.id for each in snapshot.regions if each.id in region_ids]
        with kept_selection():
            found = _native.team_sizes(self.stop(), numbers, environment)
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
        begins = _native.begins_regions(self.stacks().waits.reader, place.pc)
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
        threads = tuple(map(_plain_thread, self._natives()))
        waits = self.waits() if locations else {}
        if locations:
            threads = self._in_targets(threads)
        return tuple(
            thread._replace(
                selected=thread.gdb_num == chosen,
                location=waits[thread.gdb_num].location if thread.gdb_num in waits else None,
            )
            for thread in threads
        )

    def notes(self) -> tuple[str, ...]:
        """Return what is to be said below a listing of the threads."""
        differ = (f"Thread {n}: {why}." for n, why in sorted(self._disagreements.items()))
        lost = self._stacks.unreadable if self._stacks is not None else {}
        whys = ((n, lost[n].rstrip(".")) for n in sorted(lost))
        unread = (f"Thread {n}: its stack cannot be read: {why}." for n, why in whys)
        return (*self._runtimes_notes(), *differ, *unread)

    def _runtimes_notes(self) -> tuple[str, ...]:
        """Return what the runtimes' libraries did not tell, and what is not shown."""
        combined = self.combined()
        doubted = any(region.doubts for region in combined.regions)
        regions = [region.doubts for region in self.regions()] if doubted else []
        notes = (*self._told, *self._thread_notes(), *of_doubts("region", regions))
        notes = (*notes, *self._files.notes())
        if any(thread.kind is ThreadKind.WORKER for thread in combined.threads):
            return notes  # who has workers is in no process that was just forked
        forked = self._hang_reader().without_workers(combined)
        return notes if forked is None else (*notes, NO_WORKERS.format(forked))

    def _thread_notes(self) -> Iterator[str]:
        """Yield what the runtimes do not tell of threads; what one is that executes a target
        region, its construct does."""
        known: set[int] = set()
        if any(d.fact == "kind" for one in self._doubts for each in one.values() for d in each):
            threads = self._in_targets(self.combined().threads)
            known.update(thread.gdb_num for thread in threads if thread.kind is not None)
        for doubts in self._doubts:
            yield from of_doubts("thread", but_kinds(doubts, known))

    def _in_targets(self, threads: tuple[Thread, ...]) -> tuple[Thread, ...]:
        """Return THREADS with what those are that execute a target region on the host: their
        records need not tell."""
        with self.stacks().frames.kept_selection():
            return self._stop_reader().in_targets(threads, self)

    def waits(self) -> dict[int, Wait]:
        """Return by GDB number where each stopped thread is and what it waits for."""
        return self._stop_reader().waits(self.stopped(), self)

    def _wait_at(self, gdb_num: int) -> Wait:
        with self.stacks().frames.kept_selection():
            return self._stop_reader().place(gdb_num, self)

    def _stop_reader(self) -> _native.StopReader:
        """Return what reads where threads are and what they wait for."""
        if self._reader is None:
            self._reader = _native.StopReader(
                self._hang_reader(), self.stacks().calls, self._inferior.pid
            )
        return self._reader

    def _hang_reader(self) -> _native.HangReader:
        """Return what reads single facts of threads that stand still."""
        if self._hangs is None:
            files = self._files
            process = [(t.gdb_num, t.lwp, t.pthread_id or None) for t in self._natives()]
            all_known = self._target.has_executable() and not files.detected().unreadable_runtimes
            readable = None if all_known else files.readable_code()
            self._hangs = _native.HangReader(
                files.wait_reader(),
                process,
                readable,
                is_forked(self._inferior),
                FileMappings().is_own,
            )
        return self._hangs

    # What native code asks of the teams, where it needs that: see StopTeams

    def is_early(self) -> bool:
        """Tell whether the runtime is starting yet, in the call that begins the first region."""
        try:
            self.combined()
        except NotInitialized:
            return True
        except OmpdToolError:
            pass
        return False

    def stopped(self) -> list[int]:
        """Return the threads that stand still."""
        return [thread.gdb_num for thread in self._natives() if not thread.running]

    def all_runtimes(self) -> Optional[AllRuntimes]:
        """Return what the runtimes say, None where OMPD cannot be read."""
        try:
            return self.combined()
        except OmpdToolError:
            return None

    def places(self, gdb_nums: Sequence[int]) -> dict[int, ThreadPlace]:
        """Return what threads' stacks show."""
        return self.stacks().places(gdb_nums)

    def hang_facts(self) -> Facts:
        """Return what tells why the program does not go on. Where OMPD cannot be read
        there are no teams, and a note says so."""
        from ..explain.facts import Facts
        from .hang_facts import callbacks, crashes, overflows

        try:
            combined = self.combined()
            threads, regions = combined.threads, self.regions()
            notes = tuple([note for note in self._runtimes_notes() if note != STATES_OFF])
        except LibraryFailed:
            raise
        except OmpdToolError as error:
            if self._files.detected().why_nothing and not isinstance(error, NotInitialized):
                raise  # whose code is where is not known either: stacks would tell nothing
            threads, regions = self.plain_threads(), ()
            notes = (f"Teams and tasks are not known: {error}",)
        stacks, read = self.stacks(), self._stop_reader().facts(threads, self)
        threads, signals = read.rows, self.signals()
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
            scheduler_locking=scheduler_locking(),
        )

    def _cpus(self, threads: Sequence[Thread], regions: Sequence[Region]) -> Optional[CpuFacts]:
        """Return what THREADS may run on, where they share CPUs."""
        from .cpus import cpu_facts

        def processors() -> Optional[int]:
            if self._combined is None:
                return None
            icvs = (icv for icv in self._combined.icvs([], []) if icv.name == "num-procs-var")
            return next((icv.value for icv in icvs if isinstance(icv.value, int)), None)

        is_nested = sum([(region.team_size or 1) > 1 for region in regions]) > 1
        return cpu_facts(self._inferior, threads, self._environment, processors, is_nested)

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
            combined, of = self.combined(), [t.gdb_num for t in threads if t.kind in OMP_KINDS][:1]
            every = marked(combined.control_variables(), lambda: combined.icvs(of, []))
        except LibraryFailed:
            raise
        except OmpdToolError:  # one that ended the program before it was ready
            return tuple([Rejected(name, own[name]) for name in sorted(found)])
        told = (Rejected(v.name, v.value or "", v.in_force) for v in every if v.rejected)
        return tuple(dict.fromkeys(told))

    def loops(self, gdb_nums: Sequence[int]) -> dict[int, _native.ThreadLoop]:
        """Return which loops these threads are in for certain. Leaves another thread selected."""
        from .loops import loops_of

        threads = {thread.gdb_num: thread for thread in self.combined().threads}
        return loops_of(gdb_nums, self.combined().records(), self.stacks(), threads)

    def waiting_tasks(self) -> WaitingTasks:
        """Return the explicit tasks that are created and that no thread executes."""
        with kept_selection():
            said = self.stop().waiting_tasks()
        notes = (
            *said.notes,
            *(self._parts[position].runtime.tasks_unknown for position in said.unknown),
        )
        return WaitingTasks(tuple(said.tasks), notes, len(said.unknown) < len(self._parts))

    def _waiting_or_unknown(self) -> Optional[tuple[WaitingTask, ...]]:
        """Return the tasks that no thread executes, the detached ones with their places,
        None if they are not known."""
        try:
            said = self.stop().waiting_tasks(of_detached=True)
        except LibraryFailed:
            raise
        except OmpdToolError:
            return None
        return tuple(said.tasks) if len(said.unknown) < len(self._parts) else None


def _plain_thread(native: NativeThread) -> Thread:
    return Thread(
        native.inferior, native.gdb_num, native.lwp, native.pthread_id, running=native.running
    )
