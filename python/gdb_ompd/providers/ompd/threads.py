# SPDX-License-Identifier: Apache-2.0
"""What libomp knows of each native thread: who it is and what it does."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Callable, Optional, Sequence

from ... import _native
from ...errors import Inconsistent, OmpdToolError
from ...model import Icv, IcvOwner, Membership, Scope, TaskKind, Thread, ThreadKind, WaitsFor
from ...host.protocols import NativeThread, READ_ERRORS, Target
from ..facts import waits_for
from . import icvs, states, task_chain
from .global_number import global_number, ompd_id
from .graph import Graph, OmpThread, Team, innermost_region, memberships
from .regions import RegionTree
from .thread_records import RecordReader, ThreadRecord

# Hidden helper threads take the global numbers from 1 to this, which no other
# thread ever gets (kmp.h, KMP_HIDDEN_HELPER_THREAD).
HELPER_COUNT = "__kmp_hidden_helper_threads_num"
ANOTHER_THREADS = "the OpenMP runtime's record of this thread is another thread's"
MAYBE_STARTING = "either no OpenMP thread, or one that the runtime is just starting"


@dataclass
class ThreadReader:
    """Reads threads one by one; one that cannot be read is a row with its error."""

    target: Target
    space: _native.AddressSpace
    process: Callable[[], _native.Process]
    graph: Graph
    state_names: dict[int, str]
    events_enabled: bool
    natives: list[NativeThread] = field(default_factory=list)
    _by_num: dict[int, NativeThread] = field(default_factory=dict)
    omp_threads: dict[int, OmpThread] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    _states: dict[tuple[int, int, int], tuple[str, Optional[WaitsFor]]] = field(
        default_factory=dict
    )  # by number, wait id and level
    _records: dict[int, ThreadRecord] = field(default_factory=dict)
    _task_kinds: dict[task_chain.Known, Optional[TaskKind]] = field(default_factory=dict)
    _in_team: dict[int, "_InTeam"] = field(default_factory=dict)  # by the team's address
    _helpers: Optional[range] = None  # the global numbers of hidden helper threads

    def read(self, natives: Sequence[NativeThread], records: RecordReader) -> None:
        """Find out which of these threads are OpenMP's."""
        self.natives = list(natives)
        self._by_num = {native.gdb_num: native for native in natives}
        at_boundary, recorded = self.graph.boundary.thread, self._recorded
        for native, record in zip(natives, records.read(natives, self.graph.threads_array)):
            if record is None or native.running:
                continue
            try:
                if record and record.address != at_boundary:
                    thread: Optional[OmpThread] = recorded(native, record)
                else:
                    thread = self._find(native)
            except (*READ_ERRORS, OmpdToolError) as error:
                self.errors[native.gdb_num] = str(error)
                continue
            if thread is not None:
                self.omp_threads[native.gdb_num] = thread
        self._find_starting()

    def take(self, native: NativeThread, thread: OmpThread) -> None:
        """Have one thread answered for that was found otherwise."""
        self.natives.append(native)
        self._by_num[native.gdb_num] = native
        self.omp_threads[native.gdb_num] = thread

    def _find_starting(self) -> None:
        """Recognise workers that are in a team and have not run yet: they do not
        know their own global number, but the runtime knows their pthread_t, or
        will in a moment."""
        if len(self.omp_threads) + len(self.errors) == len(self.natives):
            return
        unknown = {
            native.pthread_id: native.gdb_num
            for native in self.natives
            if not (
                native.running
                or native.gdb_num in self.omp_threads
                or native.gdb_num in self.errors
            )
        }
        known = {thread.address for thread in self.omp_threads.values()}
        teams = {t.team.address: t.team for t in self.omp_threads.values() if t.team}
        unmatched = False
        for team in teams.values() if unknown else ():
            for address in set(team.threads) - known:
                pthread_id = self.graph.pthread_id(address) if address else 0
                gdb_num = unknown.pop(pthread_id, None)
                if gdb_num is not None:
                    self.omp_threads[gdb_num] = self.graph.thread_at(address, None)
                unmatched = unmatched or gdb_num is None
        if unmatched:
            self.errors.update(dict.fromkeys(unknown.values(), MAYBE_STARTING))

    def _find(self, native: NativeThread) -> Optional[OmpThread]:
        gtid = global_number(self.target, self.space, native)
        thread = self.graph.thread(gtid) if gtid is not None else None
        if thread is not None and native.pthread_id is not None:
            self._check_identity(thread, native.pthread_id)
        return thread

    def _recorded(self, native: NativeThread, record: ThreadRecord) -> OmpThread:
        gtid, address, pthread_id, thread_num, team, task, *_ = record
        if pthread_id != native.pthread_id and native.pthread_id is not None:
            raise Inconsistent(ANOTHER_THREADS)
        thread = self.graph.thread_with(address, gtid, thread_num, task, team)
        self._records[native.gdb_num] = record
        return thread

    def _check_identity(self, thread: OmpThread, pthread_id: int) -> None:
        if self.graph.pthread_id(thread.address) != pthread_id:
            raise Inconsistent(ANOTHER_THREADS)

    def rows(self, tree: RegionTree) -> tuple[Thread, ...]:
        """Return every thread as the model has it."""
        return tuple(_native.instances(Thread, [self._row(n, tree) for n in self.natives]))

    def _row(self, native: NativeThread, tree: RegionTree) -> tuple[Any, ...]:
        if native.running:
            return _thread(native, running=True, error="the thread is running")
        if native.gdb_num in self.errors:
            return _thread(native, error=self.errors[native.gdb_num])
        thread = self.omp_threads.get(native.gdb_num)
        if thread is None:
            return _thread(native, kind=ThreadKind.NATIVE)
        try:
            return self._omp_row(native, thread, tree)
        except (*READ_ERRORS, OmpdToolError) as error:
            return _thread(native, error=str(error))

    def _omp_row(
        self, native: NativeThread, thread: OmpThread, tree: RegionTree
    ) -> tuple[Any, ...]:
        kind, team = self._kind(thread), thread.team
        if team is None:
            return _thread(native, kind=kind, idle=True, state="idle")
        shared = self._in_team.get(team.address)
        if shared is None:
            shared = self._in_team[team.address] = _InTeam.of(team, tree)
        state, wait = self.state(native, thread)
        return (
            native.inferior,
            native.gdb_num,
            native.lwp,
            native.pthread_id,
            kind,
            False,
            False,
            thread.thread_num,
            shared.team_size,
            shared.level,
            shared.active_level,
            shared.memberships(thread.thread_num),
            shared.region,
            False,
            state,
            wait,
            self._task_kind(native.gdb_num, thread, team),
            None,
            None,
            (),
            None,
        )

    def _task_kind(self, gdb_num: int, thread: OmpThread, team: Team) -> Optional[TaskKind]:
        record = self._records.get(gdb_num)
        if record is None or not record.task_team:
            return task_chain.current_kind(self.graph, thread)
        known = task_chain.Known(record.task_flags, record.task_team)
        if team.levels >= 2:
            return task_chain.current_kind(self.graph, thread, known)
        if known not in self._task_kinds:
            self._task_kinds[known] = task_chain.current_kind(self.graph, thread, known)
        return self._task_kinds[known]

    def users(self) -> dict[int, OmpThread]:
        """Return OpenMP's threads by GDB's number, without the runtime's own."""
        if not self._helper_numbers():
            return self.omp_threads
        return {num: t for num, t in self.omp_threads.items() if not self._is_helper(t)}

    def _kind(self, thread: OmpThread) -> ThreadKind:
        if self._is_helper(thread):
            return ThreadKind.HELPER
        return ThreadKind.INITIAL if thread.root == thread.address else ThreadKind.WORKER

    def _is_helper(self, thread: OmpThread) -> bool:
        return thread.gtid in self._helper_numbers()

    def _helper_numbers(self) -> range:
        if self._helpers is None:
            count = self.space.symbol_address(HELPER_COUNT)
            self._helpers = range(1, self.space.read_uint(count, 4) + 1 if count else 1)
        return self._helpers

    def state(
        self, native: NativeThread, thread: OmpThread
    ) -> tuple[Optional[str], Optional[WaitsFor]]:
        """Return a thread's state and what it waits for, None while events are off."""
        if not self.events_enabled or thread.gtid is None or thread.team is None:
            return None, None
        record = self._records.get(native.gdb_num)
        if record is not None:
            number, wait_id = record.state, record.wait_id
        else:
            number, wait_id = self.handle(native.gdb_num).state()
        key = number, wait_id, thread.team.level
        if key not in self._states:
            name = self.state_names.get(number, f"state_{number:#x}")
            name = states.state_at_level(name, thread.team.level)
            self._states[key] = name, waits_for(name, wait_id)
        return self._states[key]

    def handle(self, gdb_num: int) -> _native.ThreadHandle:
        """Return libompd's handle of a thread."""
        return self.process().thread(*ompd_id(self._by_num[gdb_num]))

    def icv(self, icv: icvs.IcvName, gdb_num: int) -> Icv:
        """Return a thread's ICV, or the one of the task it executes."""
        owner = IcvOwner(gdb_num=gdb_num)
        thread = self.omp_threads.get(gdb_num)
        if thread is None or thread.team is None:
            # An idle worker's record still holds what its last task left there.
            scope = icvs.SCOPES[icv.scope]
            return icvs.known_icv(icv.name, scope, owner, None, "the thread is in no team")
        if icv.name == "thread-num-var":
            return icvs.known_icv(icv.name, Scope.THREAD, owner, thread.thread_num)
        if icv.name == "implicit-task-var":
            kind = task_chain.current_kind(self.graph, thread)
            implicit = None if kind is None else int(kind is not TaskKind.EXPLICIT)
            return icvs.known_icv(icv.name, Scope.TASK, owner, implicit)
        try:
            handle = self.handle(gdb_num)
            if icv.scope == _native.SCOPE_THREAD:
                return icvs.read_icv(handle, icv, owner)
            return icvs.read_icv(handle.curr_task(), icv, owner)
        except _native.OmpdError as error:  # the thread has not run yet
            return icvs.unavailable(icv, owner, error)


@dataclass(frozen=True, slots=True)
class _InTeam:
    """What the rows of a team's threads share."""

    team_size: int
    level: int
    active_level: int
    region: Optional[int]
    outside: tuple[Membership, ...]  # memberships of the levels around the team's innermost
    own: list[Membership]  # by thread number; empty for a league's team, which has no level

    @classmethod
    def of(cls, team: Team, tree: RegionTree) -> "_InTeam":
        """Return what TEAM's threads share."""
        places, region = memberships(team, 0), tree.id_of(innermost_region(team))
        outside = places[1:] if team.levels else places
        numbers = range(team.nproc if team.levels else 0)
        own = _native.instances(Membership, [(number, team.nproc) for number in numbers])
        return cls(team.nproc, team.level, team.active_level, region, outside, own)

    def memberships(self, thread_num: int) -> tuple[Membership, ...]:
        """Return the memberships of the thread with that number."""
        return (self.own[thread_num], *self.outside) if self.own else self.outside


def _thread(native: NativeThread, **facts: Any) -> tuple[Any, ...]:
    """Return the fields of a thread's row, of what GDB knows and these facts."""
    row = Thread(native.inferior, native.gdb_num, native.lwp, native.pthread_id, **facts)
    return tuple(getattr(row, each.name) for each in fields(Thread))
