# SPDX-License-Identifier: Apache-2.0
"""What LLVM's runtime records of locks, barriers and ordered loops, by its own debug
information: nothing is known where there is none.

The structures are those of openmp/runtime/src/kmp.h and kmp_lock.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterable, Mapping, Optional, TypeVar

import gdb

from .frames.waits import Kind
from .why.facts import LockWord

Result = TypeVar("Result")

MAX_THREADS = 1 << 16
MAX_QUEUE = 1 << 16
LOCKS_PER_ROW = 1024  # KMP_I_LOCK_CHUNK
STATE_BUMP = 4  # KMP_BARRIER_STATE_BUMP: the bits below are flags
PLAIN, FORKJOIN, REDUCTION = 0, 1, 2  # enum barrier_type
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


def works_on_task(names: Iterable[Optional[str]]) -> bool:
    """Tell whether the names of the runtime's frames show a task being begun or ended."""
    return any(name is not None and name.startswith(_TASK_WORK) for name in names)


class RuntimeWords:
    """One inferior's runtime at one stop. BY_PTHREAD has GDB's numbers."""

    def __init__(self, by_pthread: Mapping[int, int]) -> None:
        self._threads: dict[int, gdb.Value] = {}
        self._numbers: dict[int, int] = {}  # GDB's by the runtime's
        _tried(lambda: self._find_threads(by_pthread), None)

    def _find_threads(self, by_pthread: Mapping[int, int]) -> None:
        array, count = _variable("__kmp_threads"), int(_variable("__kmp_threads_capacity"))
        for gtid in range(min(count, MAX_THREADS)):
            pointer = array[gtid]
            if int(pointer) == 0:
                continue
            info = pointer.dereference()["th"]
            pthread = int(info["th_info"]["ds"]["ds_thread"])
            if pthread in by_pthread:
                self._threads[by_pthread[pthread]] = info
                self._numbers[gtid] = by_pthread[pthread]

    def kept_at_barrier(self, gdb_num: int, kind: Kind, at: Optional[Phase]) -> Optional[bool]:
        """Tell whether a thread at a barrier has to wait there still."""
        if at is None or gdb_num not in self._threads:
            return None
        if at.gathers:
            return True  # it has not told its own arrival, so nobody can have been let go
        barrier = FORKJOIN if kind is Kind.REGION_BARRIER else PLAIN
        if kind is Kind.REDUCTION:
            barrier = REDUCTION
        return _tried(lambda: self._kept(self._threads[gdb_num], barrier), None)

    @staticmethod
    def _kept(info: gdb.Value, barrier: int) -> bool:
        if int(info["th_info"]["ds"]["ds_tid"]) == 0:
            return False  # it is the one that lets the others go
        arrived = int(info["th_bar"][barrier]["bb"]["b_arrived"])
        complete = int(info["th_team"].dereference()["t"]["t_bar"][barrier]["b_arrived"])
        mask = ~(STATE_BUMP - 1)
        return arrived & mask == (complete & mask) + STATE_BUMP

    def kept_at_ordered(self, gdb_num: int) -> Optional[bool]:
        """Tell whether a thread's turn in an ordered construct is still to come."""
        if gdb_num not in self._threads:
            return None
        return _tried(lambda: self._turn_to_come(self._threads[gdb_num]), None)

    @staticmethod
    def _turn_to_come(info: gdb.Value) -> bool:
        dispatch = info["th_dispatch"].dereference()
        own, shared = dispatch["th_dispatch_pr_current"], dispatch["th_dispatch_sh_current"]
        wide = int(own["type_size"]) == 8
        part, both = ("p64", "s64") if wide else ("p32", "s32")
        lower = int(own.dereference()["u"][part]["ordered_lower"])
        return lower > int(shared.dereference()["u"][both]["ordered_iteration"])

    def children(self, gdb_num: int) -> Optional[int]:
        """Return how many children of a thread's current task are not complete."""
        if gdb_num not in self._threads:
            return None
        info = self._threads[gdb_num]
        return _tried(lambda: _atomic(info["th_current_task"]["td_incomplete_child_tasks"]), None)

    def lock(self, kind: Kind, address: int) -> LockWord:
        """Return what is recorded of the user's lock or critical at ADDRESS."""
        return _tried(lambda: self._lock(kind, address), LockWord())

    def _lock(self, kind: Kind, address: int) -> LockWord:
        word = int(_at(address, gdb.lookup_type("kmp_uint32")))
        if word & 1:
            return self._direct(word & 0xFF, word >> 8)
        if kind is Kind.CRITICAL:
            pointer = _at(address, gdb.lookup_type("kmp_indirect_lock_t").pointer())
            return LockWord(held=False) if int(pointer) == 0 else self._indirect(pointer)
        return self._indirect(_in_table(word >> 1))

    def _direct(self, tag: int, value: int) -> LockWord:
        if tag not in (_TAS, _FUTEX):
            return LockWord()
        if value == 0:
            return LockWord(held=False)
        gtid = (value if tag == _TAS else value >> 1) - 1
        return LockWord(held=True, owner=self._numbers.get(gtid))

    def _indirect(self, pointer: gdb.Value) -> LockWord:
        kind = str(pointer["type"])
        if "queuing" not in kind:
            return LockWord()
        lock = pointer["lock"].cast(gdb.lookup_type("kmp_queuing_lock_t").pointer())["lk"]
        head, tail, owner = (int(lock[name]) for name in ("head_id", "tail_id", "owner_id"))
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
            position = int(self._threads[number]["th_next_waiting"])
        return None


def _tried(read: Callable[[], Result], otherwise: Result) -> Result:
    """Return OTHERWISE where there is no debug information, or it does not fit."""
    try:
        return read()
    except (gdb.error, LookupError, StopIteration):
        return otherwise


def _variable(name: str) -> gdb.Value:
    symbol = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    if symbol is None:
        raise LookupError(name)
    return symbol.value()


def _at(address: int, kind: gdb.Type) -> gdb.Value:
    return gdb.Value(address).cast(kind.pointer()).dereference()


def _in_table(index: int) -> gdb.Value:
    """Return the lock that a user's variable with that number means."""
    table: Optional[gdb.Value] = _variable("__kmp_i_lock_table")
    while table is not None:
        room = int(table["nrow_ptrs"]) * LOCKS_PER_ROW
        if index < room:
            row, column = divmod(index, LOCKS_PER_ROW)
            return table["table"][row] + column
        index -= room
        following = table["next_table"]
        table = following.dereference() if int(following) else None
    raise LookupError("lock")


def _atomic(value: gdb.Value) -> int:
    """Return what a std::atomic holds: its only scalar, however deep."""
    while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        fields = value.type.strip_typedefs().fields()
        value = value[next(field for field in fields if hasattr(field, "bitpos"))]
    return int(value)
