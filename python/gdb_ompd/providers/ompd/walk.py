# SPDX-License-Identifier: Apache-2.0
"""Whether a layout that no known release has makes sense of a live program.

With a field's offset wrong, the runtime's records stop agreeing with each other:
a thread is not in its team's list, a task's record not in its team's array. What
is asked here is true at every instruction, also inside the runtime's own work
(openmp/runtime/src, kmp_runtime.cpp, kmp_csupport.cpp): a thread enters a team
before the team's level is known, a team is taken apart before its primary thread
leaves it, and workers wait in a team that is being changed. So a team is judged
by its parent once it has several threads or is a parent itself, and a worker's
task only where it is the team's own. Every walk is bounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Optional, Sequence

from ... import _native
from ...errors import OmpdToolError
from ...host.protocols import NativeThread, READ_ERRORS, Target
from ..base import require_symbol
from . import names
from .global_number import global_number
from .graph import ADDRESS_MASK, Graph, MAX_NESTING, MAX_TEAM_SIZE
from .layout import AGGREGATE_FIELDS, Layout
from .walk_facts import Facts, could_be_address, signed
from .walk_tasks import TaskWalk

# More would cost time, and prove nothing more.
MAX_THREADS = 256
MAX_DEPTH = 64
# ompt_state_t (omp-tools.h) ends at 0x102; later ones have room.
STATE_END = 0x200


@dataclass(frozen=True, slots=True)
class Walk:
    """What a layout says about a program that cannot be, a line each, and how
    many facts were looked at. A walk without any proves nothing either way."""

    violations: list[str]
    checked: int

    @property
    def nothing_to_check(self) -> bool:
        """Tell that no thread is seen in a team, so that the layout is still unproved."""
        return self.checked == 0 and not self.violations


def violations(
    space: _native.AddressSpace,
    layout: Layout,
    natives: Sequence[NativeThread],
    target: Target,
) -> Walk:
    """Walk the threads, teams, tasks and ICVs that LAYOUT shows of a stopped program.

    Memory that cannot be read where the layout points is a violation, too. The
    more of OpenMP is under way, the more is looked at. Raises NoSymbols without
    ``__kmp_threads``.
    """
    odd = _unreadable_fields(layout)
    if odd:
        return Walk([f"the field {name} has no size that a number has" for name in odd], len(odd))
    table = space.read_pointer(require_symbol(space, "__kmp_threads"))
    walker = _Walker(Graph(space, layout, table), Facts())
    for native in natives[:MAX_THREADS] if table else ():
        number = _number(space, target, native)
        if number is not None:
            what = f"the record of thread {native.gdb_num}"
            walker.facts.attempt(what, partial(walker.find, number, native))
    for number, address, native in walker.threads:
        what = f"thread {native.gdb_num}"
        walker.facts.attempt(what, partial(walker.identity, address, number, native))
        walker.facts.attempt(what, partial(walker.primary, address))
    for _, address, native in walker.threads:
        walker.facts.attempt(f"thread {native.gdb_num}", partial(walker.worker, address))
    return Walk(walker.facts.violations, walker.facts.checked if walker.members else 0)


def _unreadable_fields(layout: Layout) -> list[str]:
    """List the fields of LAYOUT that hold a number or pointer of a size that has none."""
    return [
        name
        for record, fields in names.FIELDS.items()
        for name in fields
        if name not in AGGREGATE_FIELDS and layout.field_size(record, name) not in (1, 2, 4, 8)
    ]


def _number(space: _native.AddressSpace, target: Target, native: NativeThread) -> Optional[int]:
    if native.running:
        return None
    try:
        return global_number(target, space, native)
    except (*READ_ERRORS, OmpdToolError):
        return None


@dataclass
class _Walker:
    graph: Graph
    facts: Facts
    threads: list[tuple[int, int, NativeThread]] = field(default_factory=list)
    members: int = 0  # threads that were seen in their team
    teams: set[int] = field(default_factory=set)  # those that a primary thread is in

    def __post_init__(self) -> None:
        self.tasks = TaskWalk(self.graph, self.facts)

    # Threads

    def find(self, number: int, native: NativeThread) -> None:
        """Keep where a thread's record is, if it has one (yet)."""
        info = self.graph.space.read_pointer(self.graph.threads_array + 8 * number)
        if info:
            record = info + self.graph.layout.access("kmp_info_t", "th")
            self.threads.append((number, record, native))

    def identity(self, thread: int, number: int, native: NativeThread) -> None:
        """Look at what a thread's record says of it alone, and at the team it was last in."""
        # ds_gtid, which has no symbol, is declared after ds_tid.
        kept = self.graph.descriptor(thread, "ds_tid", after=4)
        self.facts.expect(kept == number, "a thread's record has another number")
        pthread_id = self.graph.pthread_id(thread)
        self.facts.expect(
            native.pthread_id is None or pthread_id in (0, native.pthread_id),
            "a thread's record is another thread's",
        )
        info = thread + self.graph.layout.access("kmp_base_info_t", "ompt_thread_info")
        state = self.graph.read_field(info, "ompt_thread_info_t", "state")
        self.facts.expect(state < STATE_END, "a thread's state is none")
        wait = self.graph.read_field(info, "ompt_thread_info_t", "wait_id")
        self.facts.expect(could_be_address(wait), "a thread waits for what is no address")
        team = self.graph.team_address(thread)
        if team:
            size, (level, active) = self._size(team), self._levels(team)
            self.facts.expect(size <= MAX_TEAM_SIZE, "a team has no sensible size")
            sensible = 0 <= level <= MAX_NESTING and 0 <= active <= MAX_NESTING
            self.facts.expect(sensible, "a team is at no sensible level")

    def primary(self, thread: int) -> None:
        """Look at the teams and tasks of a thread that is its team's first."""
        team = self.graph.team_address(thread)
        if not team or self._thread_num(thread) != 0 or self._member(team, 0) != thread:
            return
        self.members += 1
        task = self._current_task(thread)
        executing = task != 0 and self.tasks.team_of(task) == team
        self._nest(team, thread, executing)
        self.tasks.chain(task)

    def worker(self, thread: int) -> None:
        """Look at the task of another thread of a team that has its primary thread."""
        team, thread_num = self.graph.team_address(thread), self._thread_num(thread)
        if team not in self.teams or not 0 < thread_num < self._size(team):
            return
        if self._member(team, thread_num) != thread:
            return
        self.members += 1
        task = self._current_task(thread)
        own = task == self.tasks.implicit_of(team, thread_num)
        if own or (task and self.tasks.team_of(task) == team and self.tasks.is_explicit(task)):
            self.tasks.chain(task)

    # Teams

    def _nest(self, team: int, primary: int, executing: bool) -> None:
        """Look at a team and those around it, to the initial thread's.

        EXECUTING tells that the primary thread's task is the innermost team's: not
        before it has put down who began the team, nor once it takes it apart.
        """
        innermost, seen = True, set[int]()
        while team and len(seen) < MAX_DEPTH:
            if not self.facts.expect(team not in seen, "a team is its own ancestor"):
                return
            seen.add(team)
            self.teams.add(team)
            size = self._size(team)
            self.facts.expect(0 < size <= MAX_TEAM_SIZE, "a team has no sensible size")
            parent = self._parent(team)
            if parent and (size > 1 or not innermost):
                self._within(team, parent)
            if parent and (not innermost or (executing and self._is_outermost(team, size))):
                self._begun_by(team, parent)
            if parent and innermost:
                self._holds(parent, primary)
            if not parent and (executing or not innermost):
                initial = size == 1 and self._levels(team) == (0, 0)
                self.facts.expect(initial, "a team without a parent is no initial thread's")
            self.tasks.kept_aside(team)
            team, innermost = parent, False

    def _within(self, team: int, parent: int) -> None:
        level, active = self._levels(team)
        outer, outer_active = self._levels(parent)
        self.facts.expect(0 <= level - outer <= MAX_NESTING, "a team's level is not its parent's")
        self.facts.expect(0 <= active - outer_active <= 1, "a team's active level is not so")
        self.facts.expect(active <= level, "a team has more active levels than levels")
        function = self._field(team, "t_pkfn")
        self.facts.expect(could_be_address(function), "a team's function is no address")

    def _begun_by(self, team: int, parent: int) -> None:
        number = self._field(team, "t_master_tid")
        if self.facts.expect(number < self._size(parent), "a team's primary is not its parent's"):
            self.facts.expect(
                self._member(parent, number) == self._member(team, 0),
                "a team was begun by another thread than its primary",
            )

    def _holds(self, team: int, thread: int) -> None:
        size = min(self._size(team), MAX_TEAM_SIZE)
        found = any(self._member(team, number) == thread for number in range(size))
        self.facts.expect(found, "a team was begun by none of its parent's threads")

    def _is_outermost(self, team: int, size: int) -> bool:
        """Tell whether who began a team is known as soon as its primary is in it.

        The runtime keeps a root's first active team for the next region, and may
        keep inner ones, whose primary is another number each time.
        """
        return size == 1 or self._levels(team)[1] == 1

    # Fields

    def _thread_num(self, thread: int) -> int:
        return self.graph.descriptor(thread, "ds_tid")

    def _current_task(self, thread: int) -> int:
        return self.graph.read_field(thread, "kmp_base_info_t", "th_current_task")

    def _field(self, team: int, name: str) -> int:
        return self.graph.read_field(team, "kmp_base_team_t", name)

    def _size(self, team: int) -> int:
        return self._field(team, "t_nproc")

    def _levels(self, team: int) -> tuple[int, int]:
        return signed(self._field(team, "t_level")), signed(self._field(team, "t_active_level"))

    def _parent(self, team: int) -> int:
        pointer = self._field(team, "t_parent")
        return pointer + self.graph.layout.access("kmp_team_p", "t") if pointer else 0

    def _member(self, team: int, thread_num: int) -> int:
        """Return the address of a team's thread; 0 if it has none there."""
        entry = (self._field(team, "t_threads") + 8 * thread_num) & ADDRESS_MASK
        info = self.graph.space.read_pointer(entry)
        return info + self.graph.layout.access("kmp_info_t", "th") if info else 0
