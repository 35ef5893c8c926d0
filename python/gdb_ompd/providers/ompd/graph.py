# SPDX-License-Identifier: Apache-2.0
"""LLVM's threads and teams, read through the layout the runtime publishes.

libompd walks the same structures, but loses levels of nested serialized regions
and leaves idle workers in the region they finished (reference: ompd.md, 1 and
6), so nesting and membership are worked out here. The fields are those of
``kmp_info_t`` and ``kmp_team_t`` in openmp/runtime/src/kmp.h.

One team stands for as many nested regions as its level exceeds its parent's:
one for an active region, several for serialized regions nested in each other,
none for the league and the initial teams of a ``teams`` construct.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import unpack
from typing import Any, Iterator, NamedTuple, Optional

from ... import _native
from ...errors import Inconsistent
from ...model import Membership
from .layout import Layout

ADDRESS_MASK = (1 << 64) - 1
MAX_NESTING = 1024
MAX_TEAM_SIZE = 1 << 16
POINTER = 8
TEAM_FIELDS = (
    "t_parent",
    "t_nproc",
    "t_level",
    "t_active_level",
    "t_threads",
    "t_master_tid",
    "t_pkfn",
)


@dataclass(frozen=True, slots=True)
class SerializedFrame:
    """What the runtime keeps of an enclosing serialized region
    (``ompt_lw_taskteam_t``); there are none while OMPT is off."""

    caller: int
    task_info: int  # address of its ompt_task_info_t


@dataclass(frozen=True, slots=True)
class Team:
    """One ``kmp_team_t``."""

    address: int
    parent: Optional["Team"]
    level: int
    active_level: int
    nproc: int
    master_tid: int
    function: int
    caller: int
    threads: tuple[int, ...]  # addresses of kmp_info_t by thread number, 0 if not made yet

    @property
    def levels(self) -> int:
        """How many nested regions this team stands for."""
        return self.level - (self.parent.level if self.parent else self.level)

    @property
    def root(self) -> "Team":
        """The team of the initial thread."""
        team = self
        while team.parent is not None:
            team = team.parent
        return team

    def chain(self) -> Iterator["Team"]:
        """Yield this team and its ancestors, innermost first."""
        team: Optional[Team] = self
        while team is not None:
            yield team
            team = team.parent


@dataclass(frozen=True, slots=True)
class RegionKey:
    """A parallel region: the team, and which of its nested levels (0 outermost)."""

    team: int
    nest: int

    @property
    def identity(self) -> int:
        """A number that no other live region has."""
        return self.team + self.nest


class OmpThread(NamedTuple):
    """One ``kmp_info_t``. TEAM is None for a worker that is in no region."""

    address: int
    gtid: Optional[int]  # None for a worker that has not run yet
    thread_num: int
    task: int
    team: Optional[Team]
    root: Optional[int]  # the address of the initial thread it works for, if known


@dataclass(frozen=True, slots=True)
class Boundary:
    """A thread at the event of a region that begins or ends, and the region's team.

    It is in the region, as its primary thread, and executes the task that met the
    construct (OpenMP 5.0, section 5.6.1), whatever the runtime has recorded yet.
    """

    thread: int = 0
    team: int = 0


class KnownTeams(NamedTuple):
    """What a graph has read of teams, by the addresses that ``Graph`` has it by."""

    fields: dict[int, Any]
    teams: dict[int, Team]
    live: dict[int, bool]
    by_pointer: dict[int, tuple[Optional[Team], Optional[int]]]


@dataclass
class Graph:
    """Threads and teams at one stop; everything is read once."""

    space: _native.AddressSpace
    layout: Layout
    threads_array: int  # value of __kmp_threads
    boundary: Boundary = Boundary()
    _fields_of_teams: dict[int, Any] = field(default_factory=dict)
    _teams: dict[int, Team] = field(default_factory=dict)
    _live: dict[int, bool] = field(default_factory=dict)
    # A team and the initial thread it works for, by the address of its kmp_team_t.
    _by_pointer: dict[int, tuple[Optional[Team], Optional[int]]] = field(default_factory=dict)

    def known_teams(self) -> KnownTeams:
        """Return what is known of teams so far."""
        return KnownTeams(
            dict(self._fields_of_teams),
            dict(self._teams),
            dict(self._live),
            dict(self._by_pointer),
        )

    def restore(self, known: KnownTeams) -> None:
        """Forget what was read since KNOWN was taken."""
        self._fields_of_teams = dict(known.fields)
        self._teams = dict(known.teams)
        self._live = dict(known.live)
        self._by_pointer = dict(known.by_pointer)

    def thread(self, gtid: int) -> Optional[OmpThread]:
        """Return the thread with that global number, None if there is none."""
        info = self.space.read_pointer(self.threads_array + 8 * gtid)
        if info == 0:
            return None
        return self.thread_at(info + self.layout.access("kmp_info_t", "th"), gtid)

    def thread_at(self, address: int, gtid: Optional[int]) -> OmpThread:
        """Return the thread whose record is at ADDRESS."""
        at_boundary = address == self.boundary.thread
        thread_num = 0 if at_boundary else self.descriptor(address, "ds_tid")
        task = self.read_field(address, "kmp_base_info_t", "th_current_task")
        return self._in_team(address, gtid, thread_num, task, self.team_address(address))

    def thread_with(
        self, address: int, gtid: int, thread_num: int, task: int, pointer: int
    ) -> OmpThread:
        """Return the same of a thread that is at no boundary, by what its record says;
        POINTER is the ``kmp_team_t`` that the runtime has recorded."""
        known = self._by_pointer.get(pointer)
        if known is None:
            known = self._by_pointer[pointer] = self._with_root(pointer)
        team, root = known
        if team is not None and not self._is_in(team, address, thread_num):
            team = None
        return OmpThread(address, gtid, thread_num, task, team, root)

    def _with_root(self, pointer: int) -> tuple[Optional[Team], Optional[int]]:
        team = self.team(pointer + self.layout.access("kmp_team_p", "t")) if pointer else None
        return team, (team.root.threads[0] if team else None)

    def _in_team(
        self, address: int, gtid: Optional[int], thread_num: int, task: int, pointer: int
    ) -> OmpThread:
        team = self.team(pointer) if pointer else None
        root = team.root.threads[0] if team else None
        if team is not None and not self._is_in(team, address, thread_num):
            team = None
        return OmpThread(address, gtid, thread_num, task, team, root)

    def pthread_id(self, thread: int) -> int:
        """Return the pthread_t that the runtime keeps of a thread."""
        return self.descriptor(thread, "ds_thread")

    def descriptor(self, thread: int, name: str, after: int = 0) -> int:
        """Read a field of ``th_info.ds`` (kmp_desc_base_t), or what is AFTER bytes on."""
        outer = self.layout.place("kmp_desc_t", "ds")[0]
        offset, size = self.layout.place("kmp_desc_base_t", name)
        return self.read_field(thread, "kmp_base_info_t", "th_info", (outer + offset + after, size))

    def read_field(
        self, address: int, record: str, name: str, inner: Optional[tuple[int, int]] = None
    ) -> int:
        """Read a field, or INNER (offset, size) within it.

        Damaged pointers wrap around at the end of memory, as they do in C.
        """
        offset, size = self.layout.place(record, name)
        if inner is not None:
            offset, size = offset + inner[0], inner[1]
        return self.space.read_uint((address + offset) & ADDRESS_MASK, size)

    def team_address(self, thread: int) -> int:
        """Return the address of the team a thread was last in, 0 if none."""
        if thread == self.boundary.thread:
            return self.boundary.team
        pointer = self.team_pointer(thread)
        return pointer + self.layout.access("kmp_team_p", "t") if pointer else 0

    def team_pointer(self, thread: int) -> int:
        """Return what the runtime has recorded as a thread's team: a ``kmp_team_t``."""
        return self.read_field(thread, "kmp_base_info_t", "th_team")

    def team_of(self, thread: OmpThread) -> Optional[Team]:
        """Return the team that a thread points to, whether it executes in it or not."""
        address = self.team_address(thread.address)
        return self.team(address) if address else None

    def team(self, address: int) -> Team:
        """Return the team at ADDRESS with its ancestors; Inconsistent if damaged."""
        pending: list[int] = []
        while address and address not in self._teams:
            if address in pending or len(pending) > MAX_NESTING:
                raise Inconsistent("the OpenMP teams' parents form a cycle: memory is damaged")
            pending.append(address)
            address = self._parent_of(address)
        parent = self._teams.get(address)
        for team_address in reversed(pending):
            parent = self._teams[team_address] = self._read_team(team_address, parent)
        if parent is None:
            raise Inconsistent("an OpenMP thread has no team")
        return parent

    def _team_fields(self, address: int) -> Any:
        """Read the TEAM_FIELDS of the team at ADDRESS."""
        found = self._fields_of_teams.get(address)
        if found is None:
            fields = self.layout.together("kmp_base_team_t", TEAM_FIELDS, self.space.byte_order)
            data = self.space.read((address + fields.start) & ADDRESS_MASK, fields.size)
            found = self._fields_of_teams[address] = fields.values(data)
        return found

    def _parent_of(self, address: int) -> int:
        pointer: int = self._team_fields(address)[0]
        return pointer + self.layout.access("kmp_team_p", "t") if pointer else 0

    def _read_team(self, address: int, parent: Optional[Team]) -> Team:
        fields = self._team_fields(address)
        _, nproc, level, active_level, members_at, master_tid, function = fields
        deepest = (parent.level if parent else 0) + MAX_NESTING
        if (
            not 0 < nproc <= MAX_TEAM_SIZE
            or not (parent.level if parent else 0) <= level <= deepest
        ):
            raise Inconsistent(
                f"an OpenMP team of {nproc} threads at level {level} cannot be: memory is damaged"
            )
        members = self.space.read(members_at, POINTER * nproc)
        form = "<" if self.space.byte_order == "little" else ">"
        pointers = unpack(f"{form}{nproc}Q", members)
        offset = self.layout.access("kmp_info_t", "th")
        threads = tuple(pointer + offset if pointer else 0 for pointer in pointers)
        if address == self.boundary.team:
            threads = (self.boundary.thread, *threads[1:])
        return Team(
            address,
            parent,
            level,
            active_level,
            nproc,
            master_tid,
            function,
            self._caller(address + self.layout.access("kmp_base_team_t", "ompt_team_info")),
            threads,
        )

    def _caller(self, team_info: int) -> int:
        """Read ``ompt_team_info_t.master_return_address``: where the encountering
        code called the runtime, 0 while OMPT is off. It follows parallel_data."""
        offset = self.layout.access("ompt_team_info_t", "parallel_data")
        offset += self.layout.field_size("ompt_team_info_t", "parallel_data")
        return self.space.read_pointer(team_info + offset)

    def _is_in(self, team: Team, thread: int, thread_num: int) -> bool:
        """Tell whether a thread executes in the team that it points to.

        A worker keeps its last team's address while it idles. It is in the team
        only if the team counts it, and if the team's primary thread, which
        leaves first, is still there. Workers of a ``teams`` construct's initial
        team wait for the first region inside.
        """
        if thread_num >= team.nproc or team.threads[thread_num] != thread:
            return False
        if thread_num == 0:
            return True
        if team.parent is not None and team.levels == 0:
            return False
        if team.address not in self._live:
            primary = self.team_address(team.threads[0])
            ancestors = self.team(primary).chain() if primary else iter(())
            self._live[team.address] = any(t.address == team.address for t in ancestors)
        return self._live[team.address]

    def serialized_frames(self, team: Team) -> list[SerializedFrame]:
        """List what is kept of enclosing serialized regions, innermost first."""
        lwt = self.read_field(team.address, "kmp_base_team_t", "ompt_serialized_team_info")
        found: list[SerializedFrame] = []
        seen: set[int] = set()
        while lwt:
            if lwt in seen or len(found) > MAX_NESTING:
                raise Inconsistent("the list of serialized OpenMP regions has no end")
            seen.add(lwt)
            info = lwt + self.layout.access("ompt_lw_taskteam_t", "ompt_team_info")
            task_info = lwt + self.layout.access("ompt_lw_taskteam_t", "ompt_task_info")
            found.append(SerializedFrame(self._caller(info), task_info))
            lwt = self.read_field(lwt, "ompt_lw_taskteam_t", "parent")
        return found

    def callers(self, team: Team) -> list[int]:
        """Return the return address of each of the team's regions, outermost first.

        0 where it is not known: LLVM overwrites that of an enclosing serialized
        region with the inner one's before it sets it aside.
        """
        kept = [frame.caller for frame in self.serialized_frames(team)] if team.levels > 1 else []
        found = [team.caller]
        for caller in kept[: team.levels - 1]:
            found.append(caller if caller != found[-1] else 0)
        found += [0] * (team.levels - len(found))
        return list(reversed(found[: team.levels]))


def innermost_region(team: Optional[Team]) -> Optional[RegionKey]:
    """Return the innermost region of a thread in TEAM, None at level 0."""
    for ancestor in team.chain() if team else ():
        if ancestor.levels:
            return RegionKey(ancestor.address, ancestor.levels - 1)
    return None


def memberships(team: Team, thread_num: int) -> tuple[Membership, ...]:
    """Work out a thread's number and team size at every level, innermost first.

    The same as omp_get_ancestor_thread_num and omp_get_team_size
    (openmp/runtime/src/kmp_runtime.cpp), with level 0 last.
    """
    found: list[Membership] = []
    for ancestor in team.chain():
        if ancestor.levels:
            found.append(Membership(thread_num, ancestor.nproc))
            found.extend([Membership(0, 1)] * (ancestor.levels - 1))
        thread_num = ancestor.master_tid
    return (*found, Membership(0, 1))
