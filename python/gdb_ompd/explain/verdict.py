# SPDX-License-Identifier: Apache-2.0
"""From facts to the report: the verdict and its sentence."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Mapping, Optional, Sequence

from ..model import Location, Whereabouts, place_in
from ..model.waits import Kind, REPEATS, of_several, told_apart
from . import absent, cpus, crash, ending, interrupted
from .facts import At, Facts
from .needs import needs_of
from .others import Others, is_lost, unreached
from .phrases import named, waited_object
from .queued import Queued
from .report import Report, Said, Step, Verdict
from .stuck import Needs, cycles, sinks, stuck
from .teams import locks, teams
from .whom import cycles_of

LOST_NOTE = (
    "GCC's runtime does not let a barrier go if a thread outside of the team fulfills the event of"
    " its last task."
)
ENDLESS_NOTE = (
    "A compiler reads a plain variable once, before such a loop: 'omp atomic read' reads it each"
    " time."
)
OWNERS_NOTE = (
    "The default locks keep no owner: with KMP_LOCK_KIND=tas in the program's environment"
    " this says who holds one."
)


def explain(facts: Facts) -> Report:
    """Return the report on a program at one stop."""
    facts = ending.without_beginnings(_distinct(facts))
    needs = needs_of(facts)
    ends = stuck(needs)
    knots = cycles(needs, ends)
    by_number = {thread.gdb_num: thread for thread in facts.threads}
    verdict, text = _deadlock(facts, needs, knots, ends) or Others(facts, needs).verdict()
    if facts.crashes:
        verdict, text = _crashed(facts, needs, verdict, text)
    notes = (*interrupted.clauses(facts), *ending.clauses(facts))
    text = "; ".join([text, *notes, *_locking(facts.scheduler_locking, verdict)])
    waited = locks(facts)
    kinds = (Kind.LOCK.value, Kind.NEST_LOCK.value)
    unknown = (lock for lock in waited if lock.kind in kinds and not lock.destroyed)
    keeps_none = any(
        lock.source is None and facts.word(lock.address).keeps_owner is False for lock in unknown
    )
    return Report(
        verdict,
        text,
        teams(facts),
        waited,
        tuple([_steps(knot, by_number, needs) for knot in knots]),
        (
            *facts.notes,
            *(absent.notes(facts) if verdict is not Verdict.DEADLOCK else ()),
            *unreached(facts, verdict),
            *(_slow(facts) if verdict in (Verdict.RUNNING, Verdict.WAITING) else ()),
            *(cpus.rejected(facts) if verdict is not Verdict.DEADLOCK else ()),
            *([ENDLESS_NOTE] if any(thread.endless for thread in facts.threads) else []),
            *([OWNERS_NOTE] if keeps_none else []),
            *([LOST_NOTE] if any(is_lost(t, facts, needs) for t in facts.threads) else []),
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
            *cycles_of(knots, by_number, facts),
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


def _steps(
    knot: Sequence[int], by_number: Mapping[int, At], needs: Mapping[int, Needs]
) -> tuple[Step, ...]:
    members = frozenset(knot)

    def step(number: int) -> Step:
        thread, need = by_number[number], needs[number]
        targets = tuple(sorted(need.targets & members))
        return Step(number, waited_object(thread), thread.wait.location, targets, bool(need.any))

    return tuple(map(step, knot))
