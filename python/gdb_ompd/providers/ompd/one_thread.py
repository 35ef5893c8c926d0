# SPDX-License-Identifier: Apache-2.0
"""One thread's place in its teams, read afresh and by itself.

For questions that a breakpoint's condition asks, thousands of times in a run:
nothing of other threads is read but whether the region's primary thread is
still in it, nothing is kept but where things are, and each record is read at
once and not through the page cache, which would have to be emptied each time.
The rules are those of ``graph``, which reads everything at a stop; the fields
are those of ``kmp_info_t`` and ``kmp_team_t`` in openmp/runtime/src/kmp.h.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Iterator, NamedTuple, Optional

from ... import _native
from ...errors import Inconsistent
from ...model import TaskKind
from ...host.protocols import NativeThread, READ_ERRORS, Target
from ..base import require_symbol
from . import task_chain
from .global_number import GTID, MAX_GTID
from .fields import Fields
from .graph import Graph, MAX_NESTING, MAX_TEAM_SIZE, OmpThread
from .layout import Layout

POINTER = 8
MAX_AT_ONCE = 511  # a page of pointers costs as much as one
# While a condition is evaluated the other threads run: the primary thread may
# just be taking up or leaving a region of its own. It is looked at again then.
LOOKS = 5


class Place(NamedTuple):
    """Where a thread executes: its ``kmp_base_info_t`` is at RECORD, its team's
    ``kmp_base_team_t`` at TEAM. GTID is its number in the runtime, THREAD_NUM the
    one in the team."""

    gtid: int
    record: int
    task: int
    thread_num: int
    team: int
    team_size: int
    level: int
    active_level: int


class _Path(NamedTuple):
    """The way on which a thread's place was found: what the pointers on it were, and where
    all of that was read."""

    places: _native.Places
    gtid: int
    record: int
    pointers: tuple[int, ...]  # but for those to the thread's own record and team
    team_pointer: int
    members: int
    thread_num: int


class OneThread:
    """Answers for single threads of one runtime. Raises Inconsistent, and the
    debugger's own errors where memory cannot be read."""

    def __init__(self, target: Target, space: _native.AddressSpace, layout: Layout) -> None:
        self._target = target
        self._read = target.read_memory
        self._order = space.byte_order
        self._space = space
        self._layout = layout
        self._threads_at = require_symbol(space, "__kmp_threads")
        self._in_info = layout.access("kmp_info_t", "th")
        self._in_team = layout.access("kmp_team_p", "t")
        team = layout.place("kmp_base_info_t", "th_team")
        task = layout.place("kmp_base_info_t", "th_current_task")
        self._info = self._fields(
            self._descriptor("ds_thread"), self._descriptor("ds_tid"), team, task
        )
        self._th_team = team[0]
        names = ("t_nproc", "t_level", "t_active_level", "t_threads", "t_parent", "t_master_tid")
        self._team = self._fields(*(layout.place("kmp_base_team_t", name) for name in names))
        self._found: dict[int, tuple[int, int]] = {}  # global number and record by GDB's number
        self._paths: dict[int, _Path] = {}  # by GDB's number
        # What was read on a path last, of which thread, and what was made of it.
        self._last: dict[int, tuple[NativeThread, _Path, bytes, Place]] = {}
        self._pointers = Struct(("<" if self._order == "little" else ">") + "5Q")

    def _fields(self, *places: tuple[int, int]) -> Fields:
        return Fields(places, self._order)

    def _values(self, fields: Fields, record: int) -> Any:
        return fields.values(self._read(record + fields.start, fields.size))

    def _descriptor(self, name: str) -> tuple[int, int]:
        layout = self._layout
        offset = layout.access("kmp_base_info_t", "th_info") + layout.access("kmp_desc_t", "ds")
        inner, size = layout.place("kmp_desc_base_t", name)
        return offset + inner, size

    def _read_pointer(self, address: int) -> int:
        return int.from_bytes(self._read(address, POINTER), self._order)

    def _read_uint(self, address: int, size: int) -> int:
        return int.from_bytes(self._read(address, size), self._order)

    # Which thread, and whether it is in a team

    def place(self, thread: NativeThread) -> Optional[Place]:
        """Return where a thread executes now, None for a thread that the runtime
        does not know and for a worker that is in no team."""
        path = self._paths.get(thread.gdb_num)
        place = None if path is None else self._again(thread, path)
        return self._step_by_step(thread) if place is None else place

    def _again(self, thread: NativeThread, path: _Path) -> Optional[Place]:
        """Read all of a PATH at once, and return the place if every pointer on it is what
        it was: then this is what reading step by step would give. None otherwise."""
        process = self._target.kernels_process()
        data = None if process is None else path.places.read(process)
        if data is None:
            return None
        last = self._last.get(thread.gdb_num)
        if last is not None and last[2] == data and last[0] == thread and last[1] is path:
            return last[3]
        place = self._on_path(thread, path, data)
        if place is not None:
            self._last[thread.gdb_num] = thread, path, data, place
        return place

    def _on_path(self, thread: NativeThread, path: _Path, data: bytes) -> Optional[Place]:
        begin = self._pointers.size
        end = begin + self._info.size
        pthread_id, thread_num, pointer, task = self._info.values(data[begin:end])
        nproc, level, active_level, members, _, _ = self._team.values(data[end:])
        if (
            self._pointers.unpack_from(data) != path.pointers
            or pthread_id != thread.pthread_id
            or thread_num != path.thread_num
            or pointer != path.team_pointer
            or members != path.members
            or not thread_num < nproc <= MAX_TEAM_SIZE
            or (thread_num and not level)
        ):
            return None
        team = pointer + self._in_team
        return Place(path.gtid, path.record, task, thread_num, team, nproc, level, active_level)

    def _keep_path(self, gdb_num: int, place: Place, members: int, primary: int) -> None:
        """Keep the path to a PLACE whose team's primary thread is in that very team."""
        team_pointer, info = place.team - self._in_team, place.record - self._in_info
        threads = self._read_pointer(self._threads_at)
        its_team = primary + self._in_info + self._th_team
        places = (
            (self._threads_at, POINTER),
            (threads + POINTER * place.gtid, POINTER),
            (members, POINTER),
            (members + POINTER * place.thread_num, POINTER),
            (its_team, POINTER),
            (place.record + self._info.start, self._info.size),
            (place.team + self._team.start, self._team.size),
        )
        pointers = (threads, info, primary, info, team_pointer)
        self._paths[gdb_num] = _Path(
            _native.Places(places),
            place.gtid,
            place.record,
            pointers,
            team_pointer,
            members,
            place.thread_num,
        )

    def _step_by_step(self, thread: NativeThread) -> Optional[Place]:
        failure: Optional[Exception] = None
        for _ in range(LOOKS):
            try:
                found = self._info_of(thread)
                if found is None:
                    return None
                place = self._place(thread.gdb_num, *found)
                if place is not None:
                    return place
                failure = None
            except (Inconsistent, *READ_ERRORS) as error:
                failure = error
        if failure is not None:
            raise failure
        return None

    def knows(self, thread: NativeThread) -> bool:
        """Tell whether the runtime knows a thread now."""
        return self._info_of(thread) is not None

    def _info_of(self, thread: NativeThread) -> Optional[tuple[int, int, tuple[int, ...]]]:
        """Return a thread's number in the runtime, its record's address and fields."""
        threads = self._read_pointer(self._threads_at)
        if threads == 0:
            return None  # the runtime has shut down
        known = self._found.get(thread.gdb_num)
        if known is not None and thread.pthread_id is not None:
            gtid, record = known
            if self._read_pointer(threads + POINTER * gtid) + self._in_info == record:
                info = self._values(self._info, record)
                if info[0] == thread.pthread_id:
                    return gtid, record, info
        return self._find(thread, threads)

    def _find(
        self, thread: NativeThread, threads: int
    ) -> Optional[tuple[int, int, tuple[int, ...]]]:
        """Do the same by what the thread itself says that its number is."""
        gtid = self._own_number(thread)
        if gtid is None:
            return None
        pointer = self._read_pointer(threads + POINTER * gtid)
        if pointer == 0:
            return None
        record = pointer + self._in_info
        info = self._values(self._info, record)
        if thread.pthread_id is not None and info[0] != thread.pthread_id:
            raise Inconsistent("the OpenMP runtime's record of this thread is another thread's")
        self._found[thread.gdb_num] = gtid, record
        return gtid, record, info

    def _own_number(self, thread: NativeThread) -> Optional[int]:
        if thread.pthread_id is not None:
            kind, number = _native.THREAD_ID_PTHREAD, thread.pthread_id
        else:
            kind, number = _native.THREAD_ID_LWP, thread.lwp
        pointer = self._target.thread_pointer(kind, number)
        if pointer is None:
            raise Inconsistent("the thread's own storage cannot be found")
        self._space.drop_cache()
        address = self._space.symbol_address(GTID, None, pointer)
        if address is None:
            return None  # its block of the runtime's thread-local storage was never made
        gtid = self._read_uint(address, 4)
        return gtid if gtid < MAX_GTID else None  # negative: not known to the runtime

    def _place(
        self, gdb_num: int, gtid: int, record: int, info: tuple[int, ...]
    ) -> Optional[Place]:
        """Return the place of a thread if it executes in the team that it points to, by
        the rule of ``Graph``: a worker keeps its last team's address while it idles."""
        _, thread_num, pointer, task = info
        if pointer == 0:
            return None
        team = pointer + self._in_team
        nproc, level, active_level, members, _, _ = self._values(self._team, team)
        if not 0 < nproc <= MAX_TEAM_SIZE:
            raise Inconsistent(f"an OpenMP team of {nproc} threads cannot be: memory is damaged")
        if thread_num >= nproc:
            return None
        if thread_num == 0:
            primary = own = self._read_pointer(members)
        else:
            primary, own = self._members(members, thread_num)
        if own + self._in_info != record:
            return None
        if thread_num != 0 and (level == 0 or not self._is_still_in(team, primary)):
            # At level 0 it belongs to a teams construct's initial team, and waits for a region.
            return None
        place = Place(gtid, record, task, thread_num, team, nproc, level, active_level)
        self._keep_path(gdb_num, place, members, primary)
        return place

    def _members(self, members: int, thread_num: int) -> tuple[int, int]:
        """Return a team's first thread and the one of that number."""
        if thread_num > MAX_AT_ONCE:
            return self._read_pointer(members), self._read_pointer(members + POINTER * thread_num)
        block = self._read(members, POINTER * (thread_num + 1))
        order = self._order
        return int.from_bytes(block[:POINTER], order), int.from_bytes(block[-POINTER:], order)

    def _is_still_in(self, team: int, primary: int) -> bool:
        """Tell whether a team's primary thread, which leaves first, executes in it."""
        pointer = self._read_pointer(primary + self._in_info + self._th_team)
        if pointer + self._in_team == team:
            return True
        return any(address == team for address, _ in self._chain(pointer))

    def _chain(self, pointer: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield a team's address and fields, then its ancestors', innermost first."""
        for _ in range(MAX_NESTING):
            if pointer == 0:
                return
            fields = self._values(self._team, pointer + self._in_team)
            yield pointer + self._in_team, fields
            pointer = fields[4]
        raise Inconsistent("the OpenMP teams' parents form a cycle: memory is damaged")

    # What more is true of a place

    def membership(self, place: Place, level: int) -> tuple[int, int]:
        """Return omp_get_ancestor_thread_num(LEVEL) and omp_get_team_size(LEVEL),
        both -1 for a level that is not around the place."""
        if not 0 <= level <= place.level:
            return -1, -1
        if level == 0:
            return 0, 1
        thread_num = place.thread_num
        chain = list(self._chain(place.team - self._in_team))
        for (_, team), (_, parent) in zip(chain, chain[1:]):
            nproc, here, outside, master_tid = team[0], team[1], parent[1], team[5]
            if level == here and here > outside:
                return thread_num, nproc
            if level > outside:
                return 0, 1  # of serialized regions nested in each other, which are one team
            thread_num = master_tid
        raise Inconsistent("the OpenMP teams' levels cannot be: memory is damaged")

    def task_kind(self, place: Place) -> Optional[TaskKind]:
        """Tell what kind of task is executed, None if it is none."""
        return task_chain.current_kind(*self.in_graph(place))

    def in_graph(self, place: Place) -> tuple[Graph, OmpThread]:
        """Return the thread as those have it who read everything."""
        self._space.drop_cache()
        graph = Graph(self._space, self._layout, self._read_pointer(self._threads_at))
        team = graph.team(place.team)
        thread = OmpThread(place.record, place.gtid, place.thread_num, place.task, team, None)
        return graph, thread
