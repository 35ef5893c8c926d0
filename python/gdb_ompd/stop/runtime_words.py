# SPDX-License-Identifier: Apache-2.0
"""What LLVM's runtime records of locks, barriers and ordered loops: nothing is known
where the places of its records are not.

The structures are those of openmp/runtime/src/kmp.h and kmp_lock.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterable, Mapping, Optional, Sequence, TypeVar

from .. import _native
from ..errors import OmpdToolError
from ..model.waits import Kind
from ..host.protocols import READ_ERRORS
from ..providers.ompd.graph import Graph, OmpThread
from ..providers.ompd.known_layouts import Places
from ..providers.ompd.wait_fields import ENUMERATION, QUEUING
from ..explain.facts import LockWord

Result = TypeVar("Result")

MAX_QUEUE = 1 << 16
MAX_TABLES = 64
MAX_GROUPS = 1024
LOCKS_PER_ROW = 1024  # KMP_I_LOCK_CHUNK
STATE_BUMP = 4  # KMP_BARRIER_STATE_BUMP: the bits below are flags
SLEEP_STATE = 1  # KMP_BARRIER_SLEEP_STATE
PLAIN, FORKJOIN, REDUCTION = 0, 1, 2  # enum barrier_type
LOCK_TABLE = "__kmp_i_lock_table"
# Barriers whose threads record that they have arrived.
_PATTERNS = ("__kmp_hyper_barrier_", "__kmp_linear_barrier_", "__kmp_tree_barrier_")
# While one of these is on the stack the thread begins or ends a task.
_TASK_WORK = ("__kmp_invoke_task", "__kmp_task_start", "__kmp_task_finish")
_TAS, _FUTEX = 3, 5  # the tags of locks that are their own word


@dataclass(frozen=True, slots=True)
class Phase:
    """Where in a barrier a thread's frames show it: it gathers the threads that arrive
    later, or it has arrived and waits to be let go."""

    gathers: bool


def phase(names: Iterable[Optional[str]]) -> Optional[Phase]:
    """Return the phase that the names of the runtime's frames show."""
    for name in names:
        if name is not None and name.startswith(_PATTERNS):
            return Phase("_gather" in name)
    return None


def works_on_task(names: Sequence[Optional[str]], explicit: bool) -> bool:
    """Tell whether a thread at a barrier, or in another wait, begins or ends a task there:
    by the names of the runtime's frames. Without names one whose current task is EXPLICIT
    may: no barrier is written in one."""
    if any(name is not None and name.startswith(_TASK_WORK) for name in names):
        return True
    return explicit and phase(names) is None


class RuntimeWords:
    """One runtime at one stop. THREADS are its threads by GDB's numbers, LOCKS the
    address of its table of locks, None where that is not known."""

    def __init__(
        self,
        graph: Graph,
        places: Places,
        threads: Mapping[int, OmpThread],
        locks: Optional[int],
    ) -> None:
        self._space: _native.AddressSpace = graph.space
        self._graph = graph
        self._places = places
        self._threads = threads
        self._locks = locks
        self._arrivals_of: dict[tuple[int, int], frozenset[int]] = {}
        self._gone_of: dict[int, tuple[int, ...]] = {}
        self._numbers = {t.gtid: number for number, t in threads.items() if t.gtid is not None}

    def knows(self, gdb_num: int) -> bool:
        """Tell whether a thread is this runtime's."""
        return gdb_num in self._threads

    def kept_at_barrier(self, gdb_num: int, kind: Kind, at: Optional[Phase]) -> Optional[bool]:
        """Tell whether a thread at a barrier has to wait there still. AT is the phase
        that its frames show, None where the runtime's functions have no names."""
        if gdb_num not in self._threads:
            return None
        if at is not None and at.gathers:
            return True  # it has not told its own arrival, so nobody can have been let go
        kept = _tried(lambda: self._kept(self._threads[gdb_num].address, _type(kind)), None)
        return False if kept is None and at is not None else kept

    def waits_for_arrival(self, gdb_num: int, kind: Kind, stack: Sequence[int]) -> bool:
        """Tell whether a thread gathers the others of its team, by the words on its STACK
        that are the runtime's: where the one that it waits for tells its arrival, and then
        what is to be there (``kmp_flag_64``). What an earlier barrier left there is over."""
        if gdb_num not in self._threads:
            return False
        thread, barrier = self._threads[gdb_num].address, _type(kind)
        return _tried(lambda: self._waits_for_arrival(thread, barrier, stack), False)

    def _waits_for_arrival(self, thread: int, barrier: int, stack: Sequence[int]) -> bool:
        awaited = self._complete(thread, barrier) + STATE_BUMP
        places = self._arrivals(thread, barrier) - {self._arrival(thread, barrier)}
        for place, value in zip(stack, stack[1:]):
            if value == awaited and place in places:
                if self._space.read_uint(place, 8) & ~(STATE_BUMP - 1) != awaited:
                    return True
        return False

    def _kept(self, thread: int, barrier: int) -> Optional[bool]:
        """Return True where a thread has told its arrival, or sleeps until one tells it that
        has not: the barrier is not complete. None if neither is so."""
        complete = self._complete(thread, barrier)
        if self._graph.descriptor(thread, "ds_tid") != 0:
            arrived = self._space.read_uint(self._arrival(thread, barrier), 8)
            if arrived & ~(STATE_BUMP - 1) == complete + STATE_BUMP:
                return True
        word = self._slept_on(thread)
        if word is None:
            return None
        if word == self._arrival(thread, barrier) or word not in self._arrivals(thread, barrier):
            return None
        told = self._space.read_uint(word, 8)
        return True if told == complete | SLEEP_STATE else None

    def _complete(self, thread: int, barrier: int) -> int:
        """Return the state of the last barrier that all of a thread's team have come to."""
        team = self._graph.team_pointer(thread)
        at, each = self._places["kmp_base_team_t.t_bar"][0], self._size("kmp_balign_team_t")
        state = self._read(team + at + barrier * each, "kmp_balign_team_t.b_arrived")
        return state & ~(STATE_BUMP - 1)

    def _arrival(self, thread: int, barrier: int) -> int:
        """Return the address of the word by which a thread tells that it has arrived."""
        at = self._places["kmp_base_info_t.th_bar"][0] + barrier * self._size("kmp_balign_t")
        inner = self._places["kmp_balign_t.bb"][0] + self._places["kmp_bstate_t.b_arrived"][0]
        return thread + at + inner

    def _arrivals(self, thread: int, barrier: int) -> frozenset[int]:
        """Return the addresses of these words of a whole team, read once for it."""
        key = self._graph.team_address(thread), barrier
        if key not in self._arrivals_of:
            members = self._graph.team(key[0]).threads
            words = (self._arrival(member, barrier) for member in members if member)
            self._arrivals_of[key] = frozenset(words)
        return self._arrivals_of[key]

    def _slept_on(self, thread: int) -> Optional[int]:
        """Return the word whose change a thread sleeps until; None if it does not sleep."""
        flag = self._read(thread, "kmp_base_info_t.th_sleep_loc")
        return self._read(flag, "kmp_flag_64<false, true>.loc") if flag else None

    def kept_at_ordered(self, gdb_num: int) -> Optional[bool]:
        """Tell whether a thread's turn in an ordered construct is still to come."""
        if gdb_num not in self._threads:
            return None
        return _tried(lambda: self._turn_to_come(self._threads[gdb_num].address), None)

    def _turn_to_come(self, thread: int) -> bool:
        dispatch = self._read(thread, "kmp_base_info_t.th_dispatch")
        own = self._read(dispatch, "kmp_disp_t.th_dispatch_pr_current")
        shared = self._read(dispatch, "kmp_disp_t.th_dispatch_sh_current")
        bits = 64 if self._read(own, "dispatch_private_info_t.type_size") == 8 else 32
        own += self._places["dispatch_private_info_t.u"][0]
        shared += self._places["dispatch_shared_info_t.u"][0]
        lower = self._read(own, f"dispatch_private_info{bits}_t.ordered_lower")
        return lower > self._read(shared, f"dispatch_shared_info{bits}_t.ordered_iteration")

    def children(self, gdb_num: int) -> Optional[int]:
        """Return how many children of a thread's current task are not complete."""
        if gdb_num not in self._threads:
            return None
        task = self._threads[gdb_num].task
        return _tried(lambda: self._read(task, "kmp_taskdata_t.td_incomplete_child_tasks"), None)

    def groups(self, gdb_num: int) -> tuple[int, ...]:
        """Return the taskgroups that a thread's current task is in, innermost first."""
        if gdb_num not in self._threads:
            return ()
        return _tried(lambda: self._groups(self._threads[gdb_num].task), ())

    def _groups(self, task: int) -> tuple[int, ...]:
        found: list[int] = []
        group = self._read(task, "kmp_taskdata_t.td_taskgroup")
        while group and len(found) < MAX_GROUPS:
            found.append(group)
            group = self._read(group, "kmp_taskgroup_t.parent")
        return tuple(found)

    def gone(self, gdb_num: int, alive: frozenset[int]) -> tuple[int, ...]:
        """Return the numbers of a thread's team whose threads have left the process: the
        runtime knows their pthread_t, and it is none of those ALIVE."""
        if gdb_num not in self._threads:
            return ()
        return _tried(lambda: self._gone(self._threads[gdb_num].address, alive), ())

    def _gone(self, thread: int, alive: frozenset[int]) -> tuple[int, ...]:
        team = self._graph.team_address(thread)
        if team not in self._gone_of:
            members = self._graph.team(team).threads
            known = [self._graph.pthread_id(member) if member else 0 for member in members]
            gone = (n for n, pthread in enumerate(known) if pthread and pthread not in alive)
            self._gone_of[team] = tuple(gone)
        return self._gone_of[team]

    def lock(self, kind: Kind, address: int) -> LockWord:
        """Return what is recorded of the user's lock or critical at ADDRESS."""
        return _tried(lambda: self._lock(kind, address), LockWord())

    def _lock(self, kind: Kind, address: int) -> LockWord:
        word = self._space.read_uint(address, 4)
        if word & 1:
            return self._direct(word & 0xFF, word >> 8)
        if kind is Kind.CRITICAL:
            pointer = self._space.read_pointer(address)
            return LockWord(held=False) if pointer == 0 else self._indirect(pointer)
        found = self._in_table(word >> 1)
        return LockWord() if found is None else self._indirect(found)

    def _direct(self, tag: int, value: int) -> LockWord:
        if tag not in (_TAS, _FUTEX):
            return LockWord()
        if value == 0:
            return LockWord(held=False)
        gtid = (value if tag == _TAS else value >> 1) - 1
        return LockWord(held=True, owner=self._numbers.get(gtid))

    def _indirect(self, lock: int) -> LockWord:
        queuing = [self._places[f"{ENUMERATION}.{name}"][0] for name in QUEUING]
        if self._read(lock, "kmp_indirect_lock_t.type") not in queuing:
            return LockWord()
        record = self._read(lock, "kmp_indirect_lock_t.lock")
        head, tail, owner = (
            self._signed(record, f"kmp_base_queuing_lock_t.{name}")
            for name in ("head_id", "tail_id", "owner_id")
        )
        if head == 0 and owner == 0:
            return LockWord(held=False)
        queued = self._queue(head, tail) if head > 0 else frozenset[int]()
        return LockWord(True, self._numbers.get(owner - 1), queued)

    def _queue(self, head: int, tail: int) -> Optional[frozenset[int]]:
        """Follow the queue of waiting threads; they are numbered from 1."""
        found: set[int] = set()
        position = head
        for _ in range(MAX_QUEUE):
            number = self._numbers.get(position - 1)
            if number is None or number in found:
                return None
            found.add(number)
            if position == tail:
                return frozenset(found)
            thread = self._threads[number].address
            position = self._signed(thread, "kmp_base_info_t.th_next_waiting")
        return None

    def _in_table(self, index: int) -> Optional[int]:
        """Return the lock that a user's variable with that number means."""
        table = self._locks
        for _ in range(MAX_TABLES):
            if not table:
                break
            room = self._read(table, "kmp_indirect_lock_table_t.nrow_ptrs") * LOCKS_PER_ROW
            if index < room:
                rows = self._read(table, "kmp_indirect_lock_table_t.table")
                row, column = divmod(index, LOCKS_PER_ROW)
                first = self._space.read_pointer(rows + 8 * row)
                return first + column * self._size("kmp_indirect_lock_t")
            index -= room
            table = self._read(table, "kmp_indirect_lock_table_t.next_table")
        return None

    def _size(self, record: str) -> int:
        return self._places[record][1]

    def _read(self, record: int, name: str) -> int:
        offset, size = self._places[name]
        return self._space.read_uint(record + offset, size)

    def _signed(self, record: int, name: str) -> int:
        bits = 8 * self._places[name][1]
        value = self._read(record, name)
        return value - (1 << bits) if value >> (bits - 1) else value


def _type(kind: Kind) -> int:
    """Return the runtime's type of a barrier."""
    return {Kind.REGION_BARRIER: FORKJOIN, Kind.REDUCTION: REDUCTION}.get(kind, PLAIN)


def _tried(read: Callable[[], Result], otherwise: Result) -> Result:
    """Return OTHERWISE where memory does not hold what is expected there."""
    try:
        return read()
    except (*READ_ERRORS, OmpdToolError):
        return otherwise
