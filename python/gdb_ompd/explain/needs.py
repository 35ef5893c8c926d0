# SPDX-License-Identifier: Apache-2.0
"""Whom each thread waits for, from what was read of it.

An edge is certain where the waiter cannot have been let go already. Its barrier is not complete, or
the one it waits for is inside the lock by its place in the code. Or the runtime's own words say so.
"""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from ..model import AbsentThread, WaitingTask, Whereabouts
from ..model.waits import (
    AT_DEVICE,
    BARRIERS,
    Kind,
    LOCKS,
    MUTEXES,
    ONCE,
    RUNTIMES_LOCK,
    TEAM_BARRIERS,
)
from .facts import At, Facts
from .holders import combining, executing, holding, readers, releasers
from .queued import Queued
from .stuck import Needs, stuck

CHILD_WAITS = frozenset({Kind.TASKWAIT, Kind.TASKLOOP, Kind.TASKGROUP, Kind.DEPENDENCE})
GROUP_WAITS = frozenset({Kind.TASKGROUP, Kind.TASKLOOP})
IN_TURN = frozenset({Kind.ORDERED, Kind.DOACROSS})
# Those that a thread which has not begun its region cannot wait for.
BEGUN = MUTEXES | IN_TURN | CHILD_WAITS
POOL = frozenset({Kind.IDLE, Kind.IDLE_OR_REGION_BARRIER})
IsSo = Callable[[At, Optional[int]], bool]
GOES_ON = POOL | AT_DEVICE | {None, Kind.NOT_BEGUN}  # those that wait for no thread


def needs_of(facts: Facts) -> dict[int, Needs]:
    """Return what each waiting thread needs, by GDB number.

    A thread that sleeps until some other thread wakes it is among them only if none can, or if it
    is known who must: of another that may be woken it is not known who will.
    """
    teams = _Teams(facts)
    found: dict[int, Needs] = {}
    for thread in facts.threads:
        need = _needs(thread, facts, teams)
        if need is not None:
            found[thread.gdb_num] = need
    ends = stuck(found)
    sleepers = {t.gdb_num for t in facts.threads if t.call.sleep and t.call.taken_by is None}
    for thread in facts.threads:
        if thread.gdb_num in ends:
            found[thread.gdb_num] = _once_stuck(thread, found[thread.gdb_num], facts)
    return {n: need for n, need in found.items() if n in ends or need.all or n not in sleepers}


def _once_stuck(thread: At, need: Needs, facts: Facts) -> Needs:
    """Return what a thread needs that can never go on. Of a lock that is its holder alone, for
    whoever else might let it go cannot. It is nobody where all who could do so wait for it, too."""
    if need.holders:
        return need._replace(any=need.holders)
    waiters = facts.waiters.get(thread.wait.address, frozenset())
    is_endless = thread.wait.kind in LOCKS and need.any and need.any <= waiters
    return Needs(never=True) if is_endless else need


def takers_of(facts: Facts) -> tuple[frozenset[int], bool]:
    """Return the threads that wait at a task scheduling point where they can execute a
    queued task, and whether that is known of all."""
    queued = Queued(facts)
    crashed = {crash.gdb_num for crash in facts.crashes}
    found = {
        thread.gdb_num: queued.takes(thread)
        for thread in facts.threads
        if thread.wait.kind in BARRIERS or thread.wait.kind in CHILD_WAITS
        if not thread.running and not thread.busy and thread.gdb_num not in crashed
        if thread.wait.kind in BARRIERS or not thread.blocked
    }
    able = frozenset({number for number, takes in found.items() if takes})
    return able, None not in found.values()


class _Teams:
    """Who is in each team, and who of it has not come to where the others wait. Found once for all
    of a team, for it would take the square of their number."""

    def __init__(self, facts: Facts) -> None:
        threads = {thread.gdb_num: thread for thread in facts.threads}
        self._mates = {
            region.id: [threads[number] for number in region.threads if number in threads]
            for region in facts.regions
        }
        self._parents = {region.id: region.parent for region in facts.regions}
        self._absent = {region.id: region.absent for region in facts.regions}
        self._those: dict[tuple[Optional[int], IsSo], frozenset[int]] = {}
        self._late: dict[tuple[Optional[int], Optional[Kind]], frozenset[int]] = {}
        self._detached = Queued.detached(facts)
        self._incomplete = {
            region.id
            for region in facts.regions
            if region.threads.count(None) > len(region.absent) and not region.starting
        }
        self.have_queued = len(Queued(facts)) > 0
        self.awake = frozenset({t.gdb_num for t in facts.threads if not _is_idle(t)})
        omp = frozenset({thread.gdb_num for thread in facts.threads if thread.is_omp})
        self.awake_of_omp = self.awake & omp
        self.users = omp | {t.gdb_num for t in facts.threads if t.wait.kind in MUTEXES}
        self._active = self.awake - {t.gdb_num for t in facts.threads if t.call.sleep}
        self._homeless = frozenset(
            thread.gdb_num
            for thread in facts.threads
            if thread.is_omp and thread.region is None and not _is_idle(thread)
        )

    def __contains__(self, region: Optional[int]) -> bool:
        return region in self._mates

    def those(self, thread: At, are_so: IsSo) -> frozenset[int]:
        """Return who of a thread's team is so, by what they are and the thread's region."""
        key = thread.region, are_so
        if key not in self._those:
            team = self._team(thread)
            found = frozenset({mate.gdb_num for mate in team if are_so(mate, thread.region)})
            self._those[key] = found
        return self._those[key]

    def late(self, thread: At) -> frozenset[int]:
        """Return the team's threads that have not come to a thread's barrier, with those of the regions
        that must end before."""
        key = thread.region, thread.wait.kind
        if key not in self._late:
            late = [
                mate
                for mate in self._team(thread) or [thread]
                if _works(mate) or not has_arrived(mate, thread)
            ]
            inner = frozenset({n for mate in late for n in self._inside(mate, thread.region)})
            self._late[key] = inner | {mate.gdb_num for mate in late}
        return self._late[key] - {thread.gdb_num}

    def _inside(self, mate: At, region: Optional[int]) -> list[int]:
        """Return the threads of the regions that a MATE is in within a REGION."""
        inner = mate.region
        found: list[int] = []
        while inner is not None and inner != region:
            found += [one.gdb_num for one in self._mates.get(inner, [])]
            inner = self._parents.get(inner)
        return [] if inner is None else found

    def absent(self, thread: At) -> tuple[AbsentThread, ...]:
        """Return the threads of the team that are not in the process."""
        return () if thread.region is None else self._absent.get(thread.region, ())

    def unknown(self, thread: At) -> Optional[frozenset[int]]:
        """Return who may be of a thread's team; None where all of it are known."""
        return self._homeless if thread.region in self._incomplete else None

    def wakers(self, thread: At) -> Needs:
        """Return what a thread needs that sleeps until another one wakes it: any that is not idle,
        in all likelihood one that does not sleep so itself."""
        never = self.awake <= {thread.gdb_num}
        return Needs(any=self.awake, never=never, likely=self._active, waiter=thread.gdb_num)

    def readers(self, thread: At) -> Needs:
        """Return what a thread needs that waits until others have read: those, who are recorded
        nowhere, are as who wakes a thread, or the thread itself, which can do nothing."""
        me = {thread.gdb_num}
        return Needs(any=self.awake | me, likely=self._active | me)

    def wait_for_event(self, thread: At) -> bool:
        """Tell whether a team has come to its barrier, and nobody has fulfilled the event of a
        detached task of its own."""
        region = thread.region
        if not any(task.region is None or task.region == region for task in self._detached):
            return False
        return all(
            mate.region == region and mate.wait.kind in BARRIERS and not mate.busy
            for mate in self._team(thread)
        )

    def all_sleep(self, thread: At) -> bool:
        """Tell whether all of a team sleep until the last of its tasks is done, so that nobody of
        them does one."""
        return all(mate.awaits_tasks and not mate.busy for mate in self._team(thread))

    def _team(self, thread: At) -> list[At]:
        return [] if thread.region is None else self._mates.get(thread.region, [])


def _needs(thread: At, facts: Facts, teams: _Teams) -> Optional[Needs]:
    kind = thread.wait.kind
    if thread.tried is not None:
        return _lock_needs(thread, facts, teams)
    if thread.call.mutex is not None:
        if thread.call.lock == ONCE:
            found = executing(thread.call.mutex, facts)
            return Needs(found, certain=bool(found))
        if thread.call.lock == RUNTIMES_LOCK:
            makers = (o.gdb_num for o in facts.threads if o.makes_thread)
            return Needs(any=frozenset(makers) - {thread.gdb_num}, certain=False)
        if thread.call.sleep is not None:
            return _readers_needs(thread, facts) or teams.readers(thread)
        return _mutex_needs(thread, facts)
    if thread.call.joins is not None:
        return Needs(frozenset({thread.call.joins}), certain=not thread.call.is_timed)
    if thread.call.taken_by is not None:
        return Needs(frozenset({thread.call.taken_by}))
    if thread.call.sleep is not None:
        return teams.wakers(thread)
    if kind in GOES_ON or thread.busy:
        return None
    if kind in BARRIERS:
        if teams.wait_for_event(thread):
            return Needs(certain=False)
        late, absent = teams.late(thread), teams.absent(thread)
        if thread.blocked is False:
            return None  # the barrier is complete
        if not late and not absent and thread.region in teams:
            unknown = teams.unknown(thread)
            if unknown is None:
                return Needs(certain=False) if teams.all_sleep(thread) else None
            return Needs(any=unknown, certain=False)
        # Who was given the region and is not there has come to no barrier of it.
        certain = thread.blocked is True or any(one.awaited for one in absent)
        return Needs(late, certain=certain, never=bool(absent))
    if meets(thread):
        if thread.blocked is False:
            return None  # all have come
        inside = combining(thread, facts)
        if inside:
            return Needs(inside, certain=len(inside) == 1)
        return Needs(teams.late(thread), certain=thread.blocked is True)
    if kind in MUTEXES:
        return _lock_needs(thread, facts, teams)
    if kind in IN_TURN:
        if thread.blocked is False:
            return None  # its turn has come
        me = {thread.gdb_num}
        ended = teams.those(thread, _is_kept) | (thread.left & teams.those(thread, _has_begun))
        late = teams.those(thread, _is_any) - ended - me
        certain = thread.blocked is True and teams.unknown(thread) is None
        never = certain and kind is Kind.DOACROSS and not late and thread.region in teams
        inside = teams.those(thread, _is_in_ordered) - me
        likely = inside if kind is Kind.ORDERED else frozenset()
        return Needs(any=late, certain=certain, never=never, likely=likely)
    if kind is Kind.TASK_EVENT:  # a signal's handler may fulfill it, too
        return teams.wakers(thread)._replace(certain=False)
    if kind in CHILD_WAITS:
        return None if _are_complete(thread) else _task_needs(thread, facts, teams)
    return Needs(certain=False)


def _mutex_needs(thread: At, facts: Facts) -> Needs:
    """The holder is recorded. Another thread may let a mutex go that does not ask who does so."""
    call = thread.call
    owner = frozenset() if call.owner is None else frozenset({call.owner})
    is_known = bool(owner) or call.owner_ended is not None
    givers = releasers(thread, call.mutex, facts)
    if givers and is_known and not call.is_timed:
        return Needs(any=owner | givers, holders=owner)
    certain = is_known and not call.is_timed
    return Needs(owner, certain=certain, never=certain and not owner)


def _readers_needs(thread: At, facts: Facts) -> Optional[Needs]:
    """Each reader that the code shows must let the lock go, unless another thread may do it."""
    inside = readers(thread, facts)
    if not inside:
        return None
    givers = releasers(thread, thread.call.mutex, facts) - inside
    if any(callback.lock == thread.call.mutex for callback in facts.callbacks):
        return Needs(any=inside | givers, certain=False, likely=inside)
    if not givers:
        return Needs(inside)
    own = inside & {thread.gdb_num}  # which only another thread can let go
    return Needs(any=givers | (own or inside), holders=own or inside)


def meets(thread: At) -> bool:
    """Tell whether a thread waits for its whole team in a construct that is no barrier of
    the program's: at a copyprivate clause, or where a reduction is put together."""
    return thread.wait.kind in (Kind.COPYPRIVATE, Kind.REDUCTION)


def _lock_needs(thread: At, facts: Facts, teams: _Teams) -> Optional[Needs]:
    """Where no holder is certain any thread that has used the runtime may be the one that
    is to let a lock go."""
    kind, address = thread.wait.kind, thread.object
    word = facts.word(address)
    queued = thread.gdb_num in word.queued if word.queued is not None else thread.blocked is True
    if thread.tried is not None:  # it asks by itself
        queued = True
    if word.destroyed:
        return Needs(never=True)
    if word.held is False or (word.queued is not None and not queued):
        return None  # it has been given the lock, or is about to take it
    found = holding(thread.waited_kind, address, facts)
    if thread.polls and not queued and not found.holders:
        return None  # as it will be once it has the lock
    if found.holders == {thread.gdb_num}:
        if kind is Kind.NEST_LOCK:
            # Its own: it is about to set it once more. On GCC's runtime a task has it, another than
            # that of a thread which sleeps for it.
            return Needs(found.holders) if queued else None
        is_held = (thread.waited_kind, address) in [(one.kind, one.address) for one in thread.held]
        if not is_held and thread.tried is None:
            return Needs(certain=False)  # it may have just got it
    givers = releasers(thread, address, facts)
    if any(address == callback.lock for callback in facts.callbacks):
        return Needs(any=found.holders - {thread.gdb_num} | givers, certain=False, likely=givers)
    if givers and (found.ended or found.certain):
        return Needs(any=found.holders | givers, holders=found.holders)
    if found.ended:
        return Needs(never=True)
    # An untied task that is queued again may hold it.
    sure = bool(word.held) and queued and facts.complete and not teams.have_queued
    if found.certain or (found.holders and not sure):
        return Needs(all=found.holders, certain=found.certain)
    # GCC's runtime, which keeps no queue, does not know a thread that has begun no region.
    some = teams.awake if word.queued is None else teams.awake_of_omp
    # A library's thread, or a sanitizer's, does not seem to be one that uses OpenMP's locks.
    likely = found.holders or teams.users
    some = some if givers <= some else some | (givers & teams.awake)
    never = sure and some <= {thread.gdb_num}
    return Needs(any=some, certain=sure, never=never, likely=likely, waiter=thread.gdb_num)


def _are_complete(thread: At) -> bool:
    """Tell whether all tasks that a thread waits for are complete: it has not gone on yet."""
    if thread.wait.kind in GROUP_WAITS:
        return thread.tasks_of_group == 0
    return thread.children is not None and thread.children - thread.wait.undeferred == 0


def _task_needs(thread: At, facts: Facts, teams: _Teams) -> Needs:
    """A task waits for its children; all that are not complete must be seen running for
    anything to be certain where one of them may be enough. A thread of the team that executes a
    target region on the host may execute one: of what is outside of that nothing is recorded."""
    if not thread.tasks:
        return Needs(certain=False)
    own = thread.tasks[0]
    me = {thread.gdb_num}
    children = facts.children_of.get(own, frozenset()) - me
    suspended = Queued.children(facts, own, Whereabouts.SUSPENDED)
    if thread.wait.kind is Kind.TASKWAIT:
        children |= _on_top(suspended, thread, facts)
        if children:
            return Needs(all=children)
    if thread.wait.kind in GROUP_WAITS and thread.groups:
        inside = facts.in_group.get(thread.groups[0], frozenset()) - me
        if inside:
            return Needs(all=inside)
    below = facts.below.get(own, frozenset()) - me
    # A task that is executed at once when its dependences are met is there already.
    others = None if thread.children is None else thread.children - thread.wait.undeferred
    # Those that are blocked on dependences wait for some of the children that are executed. A tied
    # one that is suspended goes on where the thread that began it executes what descends from it:
    # all of GCC's runtime do.
    blocked = Queued.children(facts, own, Whereabouts.BLOCKED)
    all_seen = others == len(children) + len(suspended) + len(blocked)
    are_tied = all(task.tied is not False for task in suspended)
    outside = teams.those(thread, _is_outside) - me
    unseen = frozenset() if all_seen else outside
    return Needs(any=below | unseen, certain=bool(below) and all_seen and are_tied)


def _on_top(suspended: Sequence[WaitingTask], waiter: At, facts: Facts) -> frozenset[int]:
    """Return the threads that have begun tied tasks which are SUSPENDED: those that alone execute what
    descends from one. Nobody is known where a thread's task has lost an ancestor, which has ended.
    """
    if len(facts.roots.get(waiter.region, ())) > 1:
        return frozenset()
    found: set[int] = set()
    for task in suspended:
        above = facts.below.get(task.task_id, frozenset())
        if task.tied is not False and len(above) == 1:
            found |= above
    return frozenset(found - {waiter.gdb_num})


def has_arrived(mate: At, thread: At) -> bool:
    """Tell whether MATE has come to the barrier that THREAD waits at."""
    place = "region" if thread.wait.kind is Kind.REGION_BARRIER else "team"
    if mate.region == thread.region and thread.wait.kind in BARRIERS and place in (mate.come or ()):
        return True
    if mate.region != thread.region or mate.blocked is False or mate.busy:
        return False
    if thread.wait.kind is Kind.REGION_BARRIER:
        return mate.wait.kind is Kind.REGION_BARRIER
    if thread.wait.kind is Kind.REDUCTION:
        return mate.wait.kind is Kind.REDUCTION
    # A copyprivate clause has a barrier like the others.
    return mate.wait.kind in TEAM_BARRIERS or mate.wait.kind is Kind.COPYPRIVATE


def _works(mate: At) -> bool:
    """Tell whether a thread executes a task, at a barrier that it has come to or before."""
    return mate.busy or bool(mate.come and mate.wait.kind not in BARRIERS)


def _is_any(mate: At, region: Optional[int]) -> bool:
    return True


def _is_outside(mate: At, region: Optional[int]) -> bool:
    return mate.region is None


def _is_kept(mate: At, region: Optional[int]) -> bool:
    """Tell whether MATE has left a loop in whose ordered construct others wait: it is kept at a
    barrier, and is not just leaving the one before the loop."""
    is_kept = mate.wait.kind in BARRIERS and mate.blocked is True
    return mate.region == region and is_kept and not _is_in_ordered(mate, region)


def _has_begun(mate: At, region: Optional[int]) -> bool:
    """Tell whether MATE waits in the region. Then it has left the loop if the runtime has recorded
    that."""
    return mate.region == region and mate.wait.kind in BEGUN


def _is_in_ordered(thread: At, region: Optional[int]) -> bool:
    """Tell whether a thread is inside of an ordered construct by its place in the code."""
    return any(held.kind == Kind.ORDERED.value and held.certain for held in thread.held)


def _is_idle(thread: At) -> bool:
    return thread.wait.kind in POOL
