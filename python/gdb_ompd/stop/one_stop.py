# SPDX-License-Identifier: Apache-2.0
"""One inferior at one stop: what its runtimes say, completed from the stacks.

Dropped as soon as the inferior may have changed. This inferior must be the
selected one while any of it is asked, and the user's selection is the caller's
to put back.
"""

from __future__ import annotations

from itertools import filterfalse
from operator import attrgetter
from typing import TYPE_CHECKING, Collection, Mapping, Optional, Sequence

import gdb

from .. import _native
from .._native import (
    EntryPoint,
    KnownRuntimes,
    NativeThread,
    Outside,
    TaskView,
    ThreadPlace,
    ThreadTasks,
    WaitingView,
)
from ..providers.combine import Combined, combine
from ..errors import LibraryFailed, NotInitialized, OmpdToolError
from .files import InferiorFiles
from ..model import (
    Location,
    OMP_KINDS,
    Region,
    Thread,
    ThreadKind,
    Snapshot,
    WaitingTask,
    WaitingTasks,
    Whereabouts,
    place_in,
)
from ..model.waits import distinct
from ..host.environment import environment, is_forked, scheduler_locking
from ..host.fatal_signals import FatalSignal, fatal_signals
from ..host.moments import one_command
from ..providers.facts import notes as facts_notes, has_no_function
from ..providers.provider import STATES_OFF
from ..host.selection import kept_selection, numbers_are_qualified
from ..host.target import GdbTarget

# Each is loaded when it is first asked for: a listing does not wait for the rest.
if TYPE_CHECKING:
    from ..providers.constructs import Constructs
    from ..model.waits import Wait
    from ..providers.provider import Provider
    from .absent import AbsentThreads
    from .places import Stacks
    from ..explain.facts import Facts
    from ..model.cpus import CpuFacts
    from ..model.teams import TeamSize
    from .system_calls import SystemCalls

_MAY_HAVE_TASKS = (*OMP_KINDS, None)  # those that are, or may be, OpenMP's


class OneStop:
    """Everything that is read while the inferior stands still, each thing once."""

    def __init__(self, inferior: gdb.Inferior, target: GdbTarget, files: InferiorFiles) -> None:
        self._inferior = inferior
        self._target = target
        self._files = files
        self._listed: Optional[list[NativeThread]] = None
        self._combined: Optional[Combined] = None
        # Why nothing can be read, and the number of the command that has found it out.
        self._why: Optional[OmpdToolError] = None
        self._failed_in = 0
        self._constructs: Optional[Constructs] = None
        self._regions: Optional[tuple[Region, ...]] = None
        self._stacks: Optional[Stacks] = None
        self._places: dict[int, ThreadPlace] = {}
        self._disagreements: dict[int, str] = {}
        self._signals: Optional[dict[int, FatalSignal]] = None
        self._system_calls: Optional[SystemCalls] = None

    def combined(self) -> Combined:
        """Return what the runtimes say. Raises OmpdToolError if none can be read, which is found
        out once for all that a command asks: it may ask of every thread."""
        if self._combined is None:
            if self._failed_in == one_command.number and self._why is not None:
                raise self._why
            self._combined = combined = self._combine()
            undecided = combined.undecided()
            if undecided:
                self._combined = combined.by_stack(self._innermost_of(undecided))
        return self._combined

    def _innermost_of(self, gdb_nums: Sequence[int]) -> dict[int, Provider]:
        """Return whose region these threads are innermost in. It is that of the first runtime on
        its stack that has called user code, or in which it begins a region or waits for its end."""
        found: dict[int, Provider] = {}
        with kept_selection():
            for number, place in self.stacks().places(gdb_nums).items():
                below_user = EntryPoint(place.wait.entry_point).begins_region
                for frame in self.stacks().frames.of(number):
                    owner = self._files.provider_at(frame.pc())
                    if owner is not None and below_user:
                        found[number] = owner
                        break
                    below_user = below_user or self._files.code_map().is_user(frame.pc())
        return found

    def _combine(self) -> Combined:
        try:
            return combine(self._files.detected(), self._natives())
        except OmpdToolError as error:
            self._why, self._failed_in = error, one_command.number
            raise

    def _natives(self) -> list[NativeThread]:
        if self._listed is None:
            self._listed = self._target.threads()
        return self._listed

    def stacks(self) -> Stacks:
        """Return what reads single threads' stacks."""
        if self._stacks is None:
            self._stacks = self._files.new_stacks(self._natives)
        return self._stacks

    def constructs(self) -> Constructs:
        """Return what places regions and tasks in the source."""
        if self._constructs is None:
            from ..providers.constructs import Constructs

            files, stacks = self._files, self.stacks()
            self._constructs = Constructs(
                self.combined(),
                stacks.begun.regions,
                stacks.begun.body_of_worker,
                stacks.library_call,
                files.code_map(),
                files.sources,
            )
        return self._constructs

    def regions(self) -> tuple[Region, ...]:
        """Return the regions, each with its construct's place. Keeps the selection."""
        if self._regions is None:
            self._regions = tuple(
                self._with_absent(self._unless_starting(region))
                if None in region.threads
                else region
                for region in map(self.combined().with_runtime, self.constructs().regions())
            )
        return self._regions

    def _with_absent(self, region: Region) -> Region:
        return self._absent().marked(region)

    def _absent(self) -> AbsentThreads:
        """Return what tells which threads of teams are not in the process."""
        from .absent import AbsentThreads

        threads = self.combined().threads
        reader = self._calls(threads).reader
        return AbsentThreads(self.combined(), reader, self._inferior.pid, threads)

    def _unless_starting(self, region: Region) -> Region:
        """Return a REGION that lacks threads, without doubts of them if its primary thread is in
        the call that begins it. That one has not come to its body, and will give it the threads."""
        known, primary = self._omp_threads(), region.threads[0]
        if primary not in known or known[primary].region != region.id or known[primary].running:
            return region
        self._find_places([primary])
        wait = self._places[primary].wait
        if wait.kind is not None or not EntryPoint(wait.entry_point).begins_region:
            return region
        if len(self.stacks().begun.regions(primary)[0]) != self._begun_by(known[primary]):
            return region  # the call begins another one
        doubts = tuple(doubt for doubt in region.doubts if doubt.fact != "threads")
        return region._replace(starting=True, doubts=doubts)

    def tasks(self, gdb_nums: Sequence[int]) -> list[TaskView]:
        """Return these threads' task chains, not yet placed in the source. Functions that the
        runtime does not keep are the stacks' to tell: of a task in which a region was begun, that of
        the region's primary thread."""
        views = self.combined().tasks(gdb_nums)
        if not any(map(has_no_function, views)):
            return views
        from .task_bodies import with_functions

        asked = frozenset(gdb_nums)
        primaries = {region.threads[0] for region in self.combined().regions if region.threads}
        more = self.combined().tasks([n for n in primaries if n is not None and n not in asked])
        found = with_functions([*views, *more], self.stacks().bodies)
        return [view for view in found if view.task.gdb_num in asked]

    def threads(self, locations: bool, chosen: Optional[int]) -> tuple[Thread, ...]:
        """Return the threads; CHOSEN is the number of the one that is selected. Keeps the
        selection."""
        threads = self.combined().threads
        if locations:
            self._find_places([t.gdb_num for t in threads if not (t.running or t.idle)])
            calls = self._outside(threads, self._waits_of(list(self._places)))
            completed = _native.completed(threads, self._places, calls)
            threads, self._disagreements = distinct(completed.threads), completed.disagreements
        signals = self.signals()
        if signals:
            named = {number: signal.name for number, signal in signals.items()}
            threads = tuple(
                t._replace(signal=named[t.gdb_num]) if t.gdb_num in named else t for t in threads
            )
        numbers = list(map(attrgetter("gdb_num"), threads))
        if chosen not in numbers:
            return threads
        at = numbers.index(chosen)
        return (*threads[:at], threads[at]._replace(selected=True), *threads[at + 1 :])

    def team_sizes(self, snapshot: Snapshot, region_ids: Collection[int]) -> tuple[TeamSize, ...]:
        """Return why the teams of these regions of SNAPSHOT have their sizes."""
        from .team_sizes import TeamSizes

        space = self._files.space()
        sizes = TeamSizes(self.combined(), self.stacks(), snapshot, environment(space))
        with kept_selection():
            return sizes.of_all([one for one in snapshot.regions if one.id in region_ids])

    def begins_none(self, gdb_num: int) -> Optional[str]:
        """Return the file of the user's code that a thread is in, if that begins no region: it was
        compiled without OpenMP."""
        self._find_places([gdb_num])
        place = self._places[gdb_num].wait.location
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
        notes = (*combined.notes, *facts_notes("region", regions), *self._files.notes())
        if any(thread.kind is ThreadKind.WORKER for thread in combined.threads):
            return notes  # who has workers is in no process that was just forked
        forked = self._absent().note()
        return notes if forked is None else (*notes, forked)

    def waits(self) -> dict[int, Wait]:
        """Return by GDB number where each stopped thread is and what it waits for."""
        stopped = [t.gdb_num for t in self._natives() if not t.running]
        self._find_places(stopped)
        return self._waits_of(stopped)

    def _waits_of(self, gdb_nums: Sequence[int]) -> dict[int, Wait]:
        """Return the waits of threads whose places are known. Of a worker without a task the
        others' stacks tell whether it can be in a region, and the runtime whether it is."""
        return _native.waits_of(
            gdb_nums, self._places, self._omp_threads, self._has_no_regions, self._is_in_region
        )

    def _is_in_region(self) -> bool:
        """Tell whether a region is under way, as far as stacks tell."""
        return any(self.stacks().begun.is_in_region(number) for number in self._places)

    def _has_no_regions(self) -> bool:
        """Tell whether the runtime is starting yet, in the call that begins the first region."""
        try:
            self.combined()
        except NotInitialized:
            return True
        except OmpdToolError:
            pass
        return False

    def _omp_threads(self) -> dict[int, Thread]:
        """Return OpenMP's threads by GDB's numbers, nothing where OMPD cannot be read."""
        try:
            threads = self.combined().threads
        except OmpdToolError:
            return {}
        kinds = (*OMP_KINDS, ThreadKind.HELPER)
        return {t.gdb_num: t for t in threads if t.kind in kinds and not t.error}

    def hang_facts(self) -> Facts:
        """Return what tells why the program does not go on. Where OMPD cannot be read
        there are no teams, and a note says so."""
        from ..explain.facts import Facts
        from .hang_facts import GdbNames, callbacks, crashes, overflows

        try:
            combined = self.combined()
            threads, regions, innermost = combined.threads, self.regions(), combined.innermost()
            notes = tuple(note for note in self._runtimes_notes() if note != STATES_OFF)
        except LibraryFailed:
            raise
        except OmpdToolError as error:
            if self._files.detected().why_nothing and not isinstance(error, NotInitialized):
                raise  # whose code is where is not known either: stacks would tell nothing
            threads, regions, innermost = self.plain_threads(), (), {}
            notes = (f"Teams and tasks are not known: {error}",)
        stacks, waits, reader = self.stacks(), self.waits(), self._calls(threads).reader
        read = _native.read_facts(
            reader,
            stacks.whole,
            threads,
            waits,
            self._places,
            self._outside(threads, waits),
            self._task_ids(threads, waits),
            self._runtimes(innermost),
            GdbNames(self._files.code_map(), stacks),
        )
        signals = self.signals()
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
            cpus=self._cpus(threads),
            scheduler_locking=scheduler_locking(),
        )

    def _cpus(self, threads: Sequence[Thread]) -> Optional[CpuFacts]:
        """Return what THREADS may run on, where they share CPUs."""
        from .cpus import cpu_facts

        def processors() -> Optional[int]:
            if self._combined is None:
                return None
            icvs = (icv for icv in self._combined.icvs([], []) if icv.name == "num-procs-var")
            return next((icv.value for icv in icvs if isinstance(icv.value, int)), None)

        space = self._files.space()
        return cpu_facts(self._inferior, threads, lambda: environment(space), processors)

    def _task_ids(self, threads: Sequence[Thread], waits: Mapping[int, Wait]) -> ThreadTasks:
        """Return which tasks those of THREADS execute that do not wait to be given any."""
        from ..explain.needs import POOL
        from ..model.waits import Kind

        passive = POOL | {Kind.NOT_BEGUN}
        may_have = (
            n for n in (t.gdb_num for t in threads if t.kind in _MAY_HAVE_TASKS) if n in waits
        )
        active = [number for number in may_have if waits[number].kind not in passive]
        try:
            return self.combined().task_ids(active)
        except LibraryFailed:
            raise
        except OmpdToolError:
            return ThreadTasks()

    def loops(self, gdb_nums: Sequence[int]) -> dict[int, _native.ThreadLoop]:
        """Return which loops these threads are in for certain. Leaves another thread selected."""
        from .loops import loops_of

        return loops_of(gdb_nums, self._files.detected().providers, self.stacks())

    def _runtimes(self, innermost: Mapping[int, Provider]) -> KnownRuntimes:
        """Return what reads the runtimes' records. INNERMOST tells whose regions threads are in
        that several know."""
        reads = {one: one.records() for one in self._files.detected().providers}
        known = [one for one in reads.values() if one is not None]
        return KnownRuntimes(known, {n: reads[one] for n, one in innermost.items()})

    def _calls(self, threads: Sequence[Thread]) -> SystemCalls:
        """Return what reads the calls of the kernel that THREADS, all of the process, are in."""
        if self._system_calls is None:
            from .system_calls import SystemCalls

            files = self._files
            all_known = self._target.has_executable() and not files.detected().unreadable_runtimes
            readable = None if all_known else files.readable_code()
            self._system_calls = SystemCalls(
                files.wait_reader(), self.stacks(), threads, readable, is_forked(self._inferior)
            )
        return self._system_calls

    def _outside(self, threads: Sequence[Thread], waits: Mapping[int, Wait]) -> dict[int, Outside]:
        """Return what those of THREADS do that wait for nothing of OpenMP's and are in code
        which is not the user's. Keeps the selection."""
        asked = {
            thread.gdb_num: waits[thread.gdb_num]
            for thread in threads
            if thread.gdb_num in waits and thread.kind is not ThreadKind.HELPER
        }
        outside = {
            n: w for n, w in asked.items() if w.kind is None and (w.outside or w.entry_point)
        }
        return self._calls(threads).read(outside) if outside else {}

    def waiting_tasks(self) -> WaitingTasks:
        """Return the explicit tasks that are created and that no thread executes."""
        said = self.combined().waiting_tasks()
        views: Sequence[WaitingView] = said.tasks
        if any(view.function is None for view in views):
            from .task_bodies import suspended_with_functions

            chains = self.tasks([thread.gdb_num for thread in self.combined().threads])
            views = suspended_with_functions(views, chains)
        placed = tuple(map(self.constructs().waiting_task, views))
        return WaitingTasks(placed, said.notes, said.known)

    def _waiting_or_unknown(self) -> Optional[tuple[WaitingTask, ...]]:
        """Return the tasks that no thread executes, the detached ones with their places,
        None if they are not known."""
        try:
            said = self.combined().waiting_tasks()
        except LibraryFailed:
            raise
        except OmpdToolError:
            return None
        if not said.known:
            return None
        placed = self.constructs().waiting_task
        return tuple(
            placed(view) if view.task.where is Whereabouts.DETACHED else view.task
            for view in said.tasks
        )

    def _find_places(self, gdb_nums: Sequence[int]) -> None:
        missing = list(filterfalse(self._places.__contains__, gdb_nums))
        if missing:
            self._places.update(self.stacks().places(missing))
            self._name_calls(missing)
            self._mark_left(missing)
            self._mark_not_begun(missing)

    def _name_calls(self, gdb_nums: Sequence[int]) -> None:
        """Of these threads, name the function of a library that the user's code called where the
        library has begun their region. Only the stack of the region's primary thread has it."""
        places = self._places
        if not any(place.wait.in_library for place in self._distinct(gdb_nums)):
            return
        known = self._omp_threads()
        for number in (n for n in gdb_nums if n in known and places[n].wait.in_library):
            region = known[number].region
            if region is not None:
                called = self.constructs().regions()[region - 1].library_call
                wait = places[number].wait._replace(library=called)
                places[number] = places[number].with_wait(wait)

    def _mark_left(self, gdb_nums: Sequence[int]) -> None:
        """Of these threads, correct the places of those that the runtime has taken out of an inner
        region already, while they are in the call that began it. What they wait at is not the end
        of the region that they are in. Those that are at its end are in the line of its construct,
        where GCC may give the call another one."""
        from ..model.waits import Kind

        places = self._places
        if all(place.wait.kind is not Kind.REGION_BARRIER for place in self._distinct(gdb_nums)):
            return
        ending = [n for n in gdb_nums if places[n].wait.kind is Kind.REGION_BARRIER]
        known = self._omp_threads()
        for number in (n for n in ending if n in known):
            wait, begun = places[number].wait, self._begun_by(known[number])
            constructs = [] if begun is None else self.stacks().begun.regions(number)[0]
            if begun is not None and len(constructs) > begun:
                wait = wait._replace(kind=None)
            elif constructs:
                construct = self._construct(constructs[-1], known[number])
                wait = wait._replace(location=construct or wait.location)
            self._places[number] = places[number].with_wait(wait)

    def _begun_by(self, thread: Thread) -> Optional[int]:
        """Return how many of the regions that a thread is in, of all runtimes, it has begun."""
        combined = self.combined()
        if len(combined.parts) == 1:
            return _begun_by(thread)
        counts = [_begun_by(view) for view in combined.views_of(thread.gdb_num)]
        return None if None in counts else sum(filter(None, counts))

    def _construct(self, call: Location, thread: Thread) -> Optional[Location]:
        """Return the construct of the region that a THREAD has begun. It is where its CALL is or,
        if no frame of the user's made the call, where the region has its construct."""
        if call.line is not None:
            return call
        if thread.region is None:
            return None
        region = self.constructs().regions()[thread.region - 1]
        known = region.line is not None
        return Location(**place_in(region), pc=call.pc) if known else None

    def _distinct(self, gdb_nums: Sequence[int]) -> Collection[ThreadPlace]:
        """Return the places of threads: those that are alike share one."""
        places = list(map(self._places.__getitem__, gdb_nums))
        return dict(zip(map(id, places), places)).values()

    def _mark_not_begun(self, gdb_nums: Sequence[int]) -> None:
        """Of these threads, set the places of workers that have not begun their region."""
        unreadable, places = self.stacks().unreadable, self._places
        if not any(place.is_elsewhere for place in self._distinct(gdb_nums)):
            return
        workers = [n for n in gdb_nums if places[n].is_elsewhere and n not in unreadable]
        known = self._omp_threads() if workers else {}
        own = (known[number] for number in workers if number in known)
        waiting = tuple(t for t in own if t.region is not None and t.thread_num)
        if not waiting:
            return
        from ..model.waits import Kind, RUNTIME, UNNAMED, Wait

        regions, runtimes = self.combined().regions, self._runtimes({})
        with kept_selection():
            found = self.stacks().whole.beginning(waiting, regions, places, runtimes)
        not_begun = ThreadPlace(Wait(Kind.NOT_BEGUN))
        on_its_way = ThreadPlace(Wait(entry_point=UNNAMED, outside=RUNTIME))
        places.update({n: not_begun if begins else on_its_way for n, begins in found.items()})


def _begun_by(thread: Thread) -> Optional[int]:
    """Return how many of the regions that a thread is in it has begun itself: the innermost
    ones, of whose teams it is the primary thread."""
    numbers = [number for number, _ in thread.memberships or ()][: thread.level]
    if thread.level is None or len(numbers) < thread.level:
        return None
    return next((at for at, number in enumerate(numbers) if number), thread.level)


def _plain_thread(native: NativeThread) -> Thread:
    return Thread(
        native.inferior, native.gdb_num, native.lwp, native.pthread_id, running=native.running
    )
