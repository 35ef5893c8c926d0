# SPDX-License-Identifier: Apache-2.0
"""From facts to the report: the verdict and its sentence."""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Iterator, Mapping, Optional, Sequence

from ..model import Location, Whereabouts, place_in
from ..model.waits import (
    BARRIERS,
    Kind,
    MUTEXES,
    ONCE,
    REPEATS,
    RUNTIME,
    RWLOCK,
    UNNAMED,
    of_several,
    told_apart,
)
from . import absent, cpus, crash, ending
from .facts import At, Facts
from .holders import combining, executing, holding, just_got
from .needs import POOL, needs_of, takers_of
from .phrases import (
    at_place,
    counted,
    named,
    place,
    places,
    wait_for,
    waited_object,
    waits,
    who,
)
from .queued import Queued
from .report import Report, Step, Verdict
from .stuck import Needs, cycles, sinks, stuck
from .teams import locks, doing_key, teams

LOST_NOTE = (
    "GCC's runtime does not let a barrier go if a thread outside of the team fulfills the event of"
    " its last task."
)
OWNERS_NOTE = (
    "The default locks keep no owner: with KMP_LOCK_KIND=tas in the program's environment"
    " this says who holds one."
)
READERS = ", whose readers are not known"
Said = tuple[Verdict, str]


def explain(facts: Facts) -> Report:
    """Return the report on a program at one stop."""
    facts = ending.without_beginnings(_distinct(facts))
    needs = needs_of(facts)
    ends = stuck(needs)
    knots = cycles(needs, ends)
    by_number = {thread.gdb_num: thread for thread in facts.threads}
    verdict, text = _deadlock(facts, needs, knots, ends) or _Others(facts, needs).verdict()
    if facts.crashes:
        verdict, text = _crashed(facts, needs, verdict, text)
    text = "; ".join([text, *ending.clauses(facts), *_locking(facts.scheduler_locking, verdict)])
    waited = locks(facts)
    unknown = (lock for lock in waited if lock.kind in (Kind.LOCK.value, Kind.NEST_LOCK.value))
    keeps_none = any(
        lock.source is None and facts.word(lock.address).keeps_owner is False for lock in unknown
    )
    return Report(
        verdict,
        text,
        teams(facts),
        waited,
        tuple([tuple([_step(by_number[n], needs[n], knot) for n in knot]) for knot in knots]),
        (
            *facts.notes,
            *(absent.notes(facts) if verdict is not Verdict.DEADLOCK else ()),
            *_unreached(facts, verdict),
            *(_slow(facts) if verdict in (Verdict.RUNNING, Verdict.WAITING) else ()),
            *(cpus.rejected(facts) if verdict is not Verdict.DEADLOCK else ()),
            *([OWNERS_NOTE] if keeps_none else []),
            *([LOST_NOTE] if any(_is_lost(t, facts, needs) for t in facts.threads) else []),
        ),
        facts.qualified,
        facts.overflows,
        _counts(facts),
        facts.crashes,
        tuple(
            Location(**place_in(task), pc=0) if task.file or task.code else None
            for task in Queued.detached(facts)
        ),
    )


def _slow(facts: Facts) -> Iterator[str]:
    """Say what makes a program slow that can go on, or why that is not known."""
    yield from cpus.untold(facts)
    yield from cpus.notes(facts)
    yield from cpus.imbalance(facts)


def _locking(mode: Optional[str], verdict: Verdict) -> Iterator[str]:
    """Say whom GDB lets go on in this MODE of scheduler-locking: None is its own, all."""
    if mode is not None and verdict in (Verdict.RUNNING, Verdict.WAITING):
        does = "go on" if mode == "on" else "step"
        yield (
            f"but 'set scheduler-locking {mode}' lets the selected thread alone {does}"
            " ('replay' is GDB's default)"
        )


def _counts(facts: Facts) -> Optional[tuple[tuple[str, int], ...]]:
    if facts.waiting_tasks is None:
        return None
    counts = Counter(task.where for task in facts.waiting_tasks)
    return tuple([(where.value, counts[where]) for where in Whereabouts])


def _distinct(facts: Facts) -> Facts:
    """Add the address to a name that means several objects."""
    several = of_several((t.waited_kind, t.wait.name, t.object) for t in facts.threads)

    def told(thread: At) -> At:
        name = thread.wait.name
        if thread.object is None or not name or (thread.waited_kind, name) not in several:
            return thread
        return thread._replace(wait=thread.wait._replace(name=told_apart(name, thread.object)))

    return facts._replace(threads=tuple(map(told, facts.threads))) if several else facts


def _crashed(facts: Facts, needs: Mapping[int, Needs], verdict: Verdict, text: str) -> Said:
    """Say who has crashed, then what the others do. Nobody goes on after a crash, so that
    somebody could is not worth a word."""
    crashed = {each.gdb_num for each in facts.crashes}
    waiting = [t.gdb_num for t in facts.threads if t.is_omp and t.gdb_num in needs]
    ends = sinks(needs, waiting)
    rest = (
        None
        if verdict in (Verdict.RUNNING, Verdict.IDLE, Verdict.UNKNOWN) or ends <= crashed
        else text
    )
    if verdict is Verdict.DEADLOCK:
        rest = text
    said = crash.others(facts, len(waiting) if ends and ends <= crashed else 0, rest)
    return Verdict.CRASHED, f"crashed: {crash.sentence(facts)}{said}"


def _deadlock(
    facts: Facts,
    needs: Mapping[int, Needs],
    knots: Sequence[tuple[int, ...]],
    ends: frozenset[int],
) -> Optional[Said]:
    by_number = {thread.gdb_num: thread for thread in facts.threads}
    left = [t for t in facts.threads if t.gdb_num in needs and needs[t.gdb_num].never]
    left = [thread for thread in left if needs[thread.gdb_num].certain]
    endless = absent.endless(facts)
    if not knots and not left and not endless:
        return None
    said = "; ".join(
        [
            *endless,
            *(_knot(knot, by_number, facts) for knot in knots),
            *absent.waits_that_never_end(left, facts),
        ]
    )
    shown = {number for knot in knots for number in knot} | {t.gdb_num for t in left}
    victims = ends - shown
    more = f"; {named(victims)} can never go on either" if victims else ""
    stuck_by = [thread for thread in facts.threads if thread.gdb_num in ends]
    how_far = ", as far as the code tells" if any(map(_is_by_code, stuck_by)) else ""
    return Verdict.DEADLOCK, f"deadlock{how_far}: {said}{more}{absent.cure(facts)}"


def _is_by_code(thread: At) -> bool:
    """Tell whether the program's code alone tells whom a thread waits for, or that it does."""
    call = thread.call
    by_call = call.taken_by is not None or call.semaphore is not None or call.sleep == REPEATS
    return by_call or thread.tried is not None


class _Others:
    """What is said where there is no deadlock."""

    def __init__(self, facts: Facts, needs: Mapping[int, Needs]) -> None:
        self._facts = facts
        self._takers, _ = takers_of(facts)
        self._needs = {n: need for n, need in needs.items() if n not in self._takers}
        crashed = {each.gdb_num for each in facts.crashes}
        # GCC's runtime does not know a thread that has begun no region, and waits for a lock.
        omp = [t for t in facts.threads if t.is_omp or t.wait.kind in MUTEXES]
        self._waiting = [thread for thread in omp if thread.gdb_num in self._needs]
        left = [t for t in omp if t.gdb_num not in self._needs and t.wait.kind not in POOL]
        self._running = [thread for thread in left if thread.running]
        stopped = [t for t in left if not t.running and t.gdb_num not in crashed]
        self._free = [thread for thread in stopped if thread.in_known_code]
        self._unknown = [thread for thread in stopped if not thread.in_known_code]

    def verdict(self) -> Said:
        """Return the verdict and its sentence."""
        if self._unknown:
            return self._cannot_tell()
        if self._takers:
            return self._able(self._free)
        if self._waiting:
            return self._wait()
        called = [thread for thread in self._free if thread.is_held_up]
        if self._free and len(called) == len(self._free) and not self._running:
            return Verdict.WAITING, f"waiting for {_each(called)}"
        if self._free or self._running:
            return self._able(self._free)
        return Verdict.IDLE, "all idle: no OpenMP thread has anything to do"

    def _cannot_tell(self) -> Said:
        """Say of whom it is not known whether they wait, and who can go on all the same."""
        numbers = [thread.gdb_num for thread in self._unknown]
        unknown = f"whether {named(numbers)} can go on"
        if not (self._free or self._running or self._takers):
            return Verdict.UNKNOWN, f"unknown: {unknown}"
        verdict, text = self._able(self._free)
        return verdict, f"{text}; {unknown} is not known"

    def _wait(self) -> Said:
        """Say for whom the threads wait that do, where that is one place."""
        ends = sinks(self._needs, [thread.gdb_num for thread in self._waiting])
        last = [
            t for t in self._facts.threads if t.gdb_num in ends and t.gdb_num not in self._needs
        ]
        if any(_comes_out(thread) and not thread.is_held_up for thread in last):
            return self._able(last)
        if last and all(thread.is_held_up for thread in last):
            # Others may be blocked for whom nobody waits.
            others = [t for t in self._free if t.gdb_num not in ends and t.is_held_up]
            return Verdict.WAITING, f"waiting for {_each([*last, *others])}"
        if last and len({doing_key(thread) for thread in last}) == 1:
            return Verdict.WAITING, f"waiting for {who(last)}"
        if last or self._free:
            return self._able(self._free or last)
        return Verdict.WAITING, self._for_nobody_known()

    def _for_nobody_known(self) -> str:
        """Say what is waited for where nobody is known who could end it."""
        unknown = [
            t
            for t in self._waiting
            if t.wait.kind in MUTEXES and not self._needs[t.gdb_num].targets - {t.gdb_num}
        ]
        if unknown:
            first = unknown[0]
            what = f"{waited_object(first)}{at_place(first)}, {absent.unknown_owner(first, self._facts)}"
            return f"waiting for {what}"
        said = places(self._waiting, lambda thread: _from(thread, self._facts))
        if all(_is_lost(thread, self._facts, self._needs) for thread in self._waiting):
            until = "all of the team sleep until its last task is done, and none is left"
            return f"waiting: {said}; {until}"
        detached = Queued.detached(self._facts)
        if detached:
            tasks = "a detached task" if len(detached) == 1 else f"{len(detached)} detached tasks"
            where = place(detached[0])
            return f"waiting for the event of {tasks}{where}, which nobody has fulfilled: {said}"
        timed = [thread.gdb_num for thread in self._waiting if thread.call.is_timed]
        if timed:
            return f"waiting: {said}; {named(timed)} {waits(timed)} for a time only"
        return f"waiting: {said}; whether one of them can go on is not known"

    def _able(self, able: Sequence[At]) -> Said:
        """Say who can go on, and how many wait."""
        parts = list(self._who_can(able))
        if self._running:
            numbers = [thread.gdb_num for thread in self._running]
            known = "not stopped: 'interrupt -a' stops all"
            parts.append(f"{named(numbers)} {'is' if len(numbers) == 1 else 'are'} {known}")
        left = len(self._waiting)
        if left:
            parts.append(f"{counted(left, 'thread')} {'waits' if left == 1 else 'wait'} for that")
        return Verdict.RUNNING, "running: " + ", ".join(parts)

    def _who_can(self, able: Sequence[At]) -> Iterator[str]:
        takers = [t.gdb_num for t in self._facts.threads if t.gdb_num in self._takers]
        if takers:
            are = "is" if len(takers) == 1 else "are"
            them = "it" if len(Queued(self._facts)) == 1 else "them"
            yield f"{_queued(self._facts)}, and {named(takers)} {are} free to run {them}"
        able = [thread for thread in able if thread.gdb_num not in self._takers]
        called = [thread for thread in able if thread.is_held_up]
        if takers or len(called) < len(able):
            able = [thread for thread in able if not thread.is_held_up]
        else:
            called = []
        come = self._all_come(able)
        if come:
            yield come
        elif able:
            yield f"{named(t.gdb_num for t in able)} can go on"
        if called:
            yield f"{'and perhaps ' if able or takers else ''}{_each(called)}"

    def _all_come(self, able: Sequence[At]) -> Optional[str]:
        """Say that all of a team have come to their barrier; None if that is not all, or of one
        thread alone."""
        if (
            len(able) < 2
            or self._waiting
            or any(thread.wait.kind not in BARRIERS for thread in able)
        ):
            return None
        regions = {thread.region for thread in able}
        region = next((r for r in self._facts.regions if r.id in regions), None)
        if len(regions) != 1 or region is None or region.team_size != len(able):
            return None
        at = {wait_for(f"{waited_object(thread)}{at_place(thread)}") for thread in able}
        if len(at) != 1:
            kinds = {waited_object(thread) for thread in able}
            at = {wait_for(kinds.pop()) if len(kinds) == 1 else "at their barriers"}
        return f"all {len(able)} threads of the team have come to {_article(at.pop())}, and go on"


def _comes_out(thread: At) -> bool:
    """Tell whether a thread that waits for nobody is in a call of the runtime which keeps it no
    longer, as that which lets a lock go."""
    is_inside = thread.wait.outside == RUNTIME and thread.wait.entry_point != UNNAMED
    return thread.wait.kind is not None or (is_inside and thread.in_known_code)


def _is_lost(thread: At, facts: Facts, needs: Mapping[int, Needs]) -> bool:
    """Tell whether a thread's team sleeps until the last of its tasks is done, and has none."""
    left = facts.waiting_tasks is None or any(
        task.region in (None, thread.region) for task in facts.waiting_tasks
    )
    # Who executes the last one meanwhile has not come to the barrier.
    awaits = thread.awaits_tasks and thread.gdb_num in needs and not needs[thread.gdb_num].all
    return awaits and not left


def _queued(facts: Facts) -> str:
    """Say how many tasks are queued."""
    number = len(Queued(facts))
    return f"{counted(number, 'task')} {'is' if number == 1 else 'are'} queued"


def _unreached(facts: Facts, verdict: Verdict) -> list[str]:
    """Say that nobody can run the tasks that are queued, where somebody waits for them."""
    takers, is_known = takers_of(facts)
    number, waits = len(Queued(facts)), verdict in (Verdict.DEADLOCK, Verdict.WAITING)
    if takers or not is_known or not number or not waits:
        return []
    return [f"{_queued(facts)}, and no thread is free to run {'it' if number == 1 else 'them'}."]


def _article(at: str) -> str:
    """Turn "at barrier at heat.c:52" into "the barrier at heat.c:52"."""
    what = at.partition(" ")[2]
    return what if what.startswith("their") else f"the {what}"


def _each(threads: Iterable[At]) -> str:
    """Name threads that are blocked outside of OpenMP, those at one place together."""
    alike: dict[object, list[At]] = {}
    for thread in threads:
        alike.setdefault(doing_key(thread), []).append(thread)
    return "; ".join(who(same) for same in alike.values())


def _knot(knot: Sequence[int], by_number: Mapping[int, At], facts: Facts) -> str:
    """Say what holds the members of a cycle."""
    if len(knot) == 1:
        thread = by_number[knot[0]]
        what = f"{waited_object(thread)}{at_place(thread)}"
        if _is_read(thread):
            return f"{named(knot)} waits for {what}{READERS}, perhaps itself"
        is_nest = thread.wait.kind is Kind.NEST_LOCK  # a thread may set its own once more
        whose = "another of its tasks holds" if is_nest else "it holds itself"
        return f"{named(knot)} waits for {what}, which {whose}"
    members = [by_number[number] for number in knot]
    return places(members, lambda thread: _from(thread, facts))


def _from(thread: At, facts: Facts) -> str:
    if thread.call.lock == ONCE and thread.call.mutex is not None:
        executors = executing(thread.call.mutex, facts)
        return f" executed by {named(executors)}" if executors else ""
    owner = thread.call.taken_by if thread.call.owner is None else thread.call.owner
    if owner is not None:
        return f" held by {named([owner])}"
    if _is_read(thread):
        return READERS
    if thread.call.sleep is not None:
        return " until woken by another thread"
    inside = combining(thread, facts)
    if inside:
        return f" for {named(inside)}"
    if thread.wait.kind is Kind.TASKWAIT:
        return _for_blocked(thread, facts)
    if thread.wait.kind not in MUTEXES and thread.tried is None:
        return ""
    found = holding(thread.waited_kind, thread.object, facts)
    if not found.holders:
        fresh = just_got(thread, facts)
        return f", which {named(fresh)} may just have got" if fresh else ", whose owner is unknown"
    perhaps = "" if found.certain else "perhaps "
    if found.holders == {thread.gdb_num}:
        return f" {perhaps}held by itself"
    one_of = "one of " if len(found.holders) > 1 else ""  # not known which
    return f" {perhaps}held by {one_of}{named(found.holders)}"


def _is_read(thread: At) -> bool:
    """Tell whether a thread waits for those who read a lock."""
    return thread.call.mutex is not None and thread.call.lock == RWLOCK and not thread.call.owner


def _for_blocked(thread: At, facts: Facts) -> str:
    """Say for which of its tasks a thread waits that wait for others themselves."""
    blocked = Queued.children(facts, thread.tasks[0], Whereabouts.BLOCKED) if thread.tasks else []
    if not blocked:
        return ""
    where = place(blocked[0]) if len({place(task) for task in blocked}) == 1 else ""
    tasks = "a task" if len(blocked) == 1 else f"{len(blocked)} tasks"
    return f" for {tasks}{where} blocked on dependences"


def _step(thread: At, need: Needs, knot: Sequence[int]) -> Step:
    targets = tuple(sorted(need.targets & set(knot)))
    return Step(
        thread.gdb_num, waited_object(thread), thread.wait.location, targets, bool(need.any)
    )
