# SPDX-License-Identifier: Apache-2.0
"""`ompd why`: the verdict, the cycles, the locks and the teams, on one screen."""

from __future__ import annotations

from typing import Hashable, Iterator, Optional, Sequence

from ..model import Location, RegionKind, WaitsFor
from ..model.waits import RWLOCK
from ..explain.phrases import counted, elsewhere, polled
from ..explain.report import Group, HELPER, Lock, Report, Step, Team, UNKNOWN_CODE
from . import folding
from .style import PLAIN, Role, Span, Style, Text, after, painted, text
from .words import (
    ABSENT,
    awaiting,
    in_target,
    inside,
    line_of,
    location,
    numbered,
    of_runtime,
    place,
    qualified,
    sentence,
    waiting,
    which,
)

MOST_GROUPS = 12  # of one team: more would not fit a screen
MOST_LOCKS = 12
MOST_CYCLES = 4
MOST_STEPS = 8  # of one cycle: with its verdict it fits a screen
WIDEST_LIST = 24  # of numbers, as in the other listings


def lines(report: Report, style: Style = PLAIN, prefix: str = "") -> Iterator[str]:
    """Show REPORT, with PREFIX before GDB's numbers of threads."""
    for words in _texts(report):
        margin = len(words[0].text) - len(words[0].text.lstrip(" ")) if words else 0
        yield from painted(qualified(words, prefix), style, style.width, margin + 4)


def _texts(report: Report) -> Iterator[Text]:
    yield text(Span(sentence(report.text), Role.HIGHLIGHT))
    for cycle in report.cycles[:MOST_CYCLES]:
        yield from _cycle(cycle)
    yield from _more(len(report.cycles) - MOST_CYCLES, "cycle")
    if report.locks:
        yield text(Span("Locks", Role.TITLE))
        yield from (text("  ", *_lock(lock)) for lock in report.locks[:MOST_LOCKS])
        yield from _more(len(report.locks) - MOST_LOCKS, "lock")
    for teams in folding.groups(report.teams, _apart_from_gdb):
        yield from _teams(teams)
    counts = [f"{number} {where}" for where, number in report.waiting_tasks or () if number]
    if counts:
        yield text(Span("Tasks", Role.TITLE), ": ", ", ".join(counts))
    for spot in report.detached:
        where = place(spot) if spot else text("unknown")
        yield text("  detached, its event is not fulfilled: ", *where)
    yield from (text(note) for note in report.notes)


def _apart_from_gdb(team: Team) -> Hashable:
    """Return what is shown of TEAM but for GDB's numbers: teams for which it is equal are one."""
    return (
        _title([team]),
        tuple((group.thread_nums, _does(group, team)) for group in team.groups),
        team.missing,
        team.unknown,
    )


def _teams(teams: Sequence[Team]) -> Iterator[Text]:
    """Show TEAMS, which are equal, as one."""
    team = teams[0]
    yield _title(teams)
    for group, *others in list(zip(*(each.groups for each in teams)))[:MOST_GROUPS]:
        gdb_nums = sorted({n for each in (group, *others) for n in each.gdb_nums})
        yield text("  ", _members_of(group, gdb_nums), ": ", *_does(group, team))
    yield from _more(len(team.groups) - MOST_GROUPS, "place")
    if team.missing:
        yield text(f"  {_members(team.missing)}: {ABSENT}")
    if team.unknown:
        starting = team.region is not None and team.region.starting
        what = "has not begun" if starting else "not known"
        yield text(f"  {_members(team.unknown)}: {what}")


def _title(teams: Sequence[Team]) -> Text:
    team = teams[0]
    region = team.region
    if region is None:
        unknown = ", or not known" if not team.known or _has_target(team) else ""
        return text(Span("In no team" + unknown, Role.TITLE))
    if region.kind is RegionKind.HELPERS:
        return text(Span("Hidden helpers of the runtime", Role.TITLE))
    many = "Team" if len(teams) == 1 else f"{len(teams)} teams"
    return text(
        Span(f"{many} of {region.team_size}", Role.TITLE),
        f", level {region.level}{of_runtime(region)}",
        *after(", ", place(region)),
    )


def _has_target(team: Team) -> bool:
    """Tell whether a thread executes a target region: the regions around may not be known."""
    return any(each.target is not None and each.target.executes for each in team.groups)


def _members_of(group: Group, gdb_nums: Sequence[int]) -> str:
    """Write who they are: "1-6,8-31 (GDB threads 2-7,9-32)"."""
    gdb = _gdb(gdb_nums)
    return (
        f"{folding.counted(group.thread_nums, WIDEST_LIST)} ({gdb})" if group.thread_nums else gdb
    )


def _does(group: Group, team: Team) -> Text:
    """Write what they do and where: "at barrier, heat.c:52"."""
    return text(
        *_doing(group, team.known),
        *_where(group.location),
        *_arrival(group, team.barrier),
    )


def _more(count: int, what: str) -> Iterator[Text]:
    if count > 0:
        yield text(f"  and {counted(count, what)} more (-json has all)")


def _gdb(numbers: Sequence[int]) -> str:
    """Name threads by GDB's numbers; of many a few."""
    return numbered("GDB thread", numbers, limit=WIDEST_LIST)


def _doing(group: Group, known: bool) -> Text:
    target = group.target
    if target is None or group.running or group.phase == HELPER:
        return _does_itself(group, known)
    if target.executes:
        return text(*_does_itself(group, False), *in_target(target))
    return awaiting(target)


def _does_itself(group: Group, known: bool) -> Text:
    if group.running:
        return text("not stopped")
    if group.signal is not None:
        return text("crashed: ", Span(group.signal, Role.HIGHLIGHT))
    if group.kind is not None:
        waits = waiting(WaitsFor(group.kind, group.address, group.name))
        if group.phase == "complete":
            return text(*waits, " (complete)")
        if group.phase == HELPER:
            return text(group.phase)
        return text(f"{group.phase} ", *waits) if group.phase else waits
    if group.outside == UNKNOWN_CODE:
        return text("in unknown code")
    if group.polls:
        return text(f"spinning on {polled(group.polls)}")
    if group.endless:
        return text("in an endless loop")
    if group.outside is not None:
        return inside(group.outside)
    return text("working" if group.thread_nums or not known else "outside of OpenMP")


def _arrival(group: Group, barrier: Optional[Location]) -> Text:
    """Say who has not come to the team's BARRIER: of those at another one, that it is not
    the same."""
    if group.arrived is None or group.arrived:
        return ()
    if group.kind is None or not group.kind.endswith("barrier") or group.phase:
        return text(Span(", has not arrived", Role.HIGHLIGHT))
    where = line_of(barrier) or place(barrier) if barrier is not None else ()
    return text(Span(", not at that of " if where else ", not where others wait"), *where)


def _lock(lock: Lock) -> Text:
    waiters = f": {_gdb(lock.waiters)} waiting, "
    return text(lock.kind, *which(lock.kind, lock.name, lock.address), waiters, _holder(lock))


def _holder(lock: Lock) -> str:
    if not lock.holders:
        if lock.holder_ended:
            return "held by a thread that has ended"
        if lock.holder_elsewhere is not None:
            return elsewhere(lock.holder_elsewhere)
        if lock.destroyed:
            return "destroyed"
        if lock.held is False:
            return "free at this moment"
        if lock.kind == RWLOCK:
            return "readers not known"
        return "held, owner unknown" if lock.held else "owner unknown"
    if lock.kind == RWLOCK and lock.source == "inferred":
        others = "" if lock.certain else ", others not known"
        return f"read by {_gdb(lock.holders)} (inferred from the code){others}"
    inferred = " (inferred from the code)" if lock.source == "inferred" else ""
    verb = "held by" if len(lock.holders) == 1 else "held by one of"
    perhaps = "" if lock.certain else "perhaps "
    return f"{perhaps}{verb} {_gdb(lock.holders)}{inferred}"


def _cycle(steps: Sequence[Step]) -> Iterator[Text]:
    """Show who waits for whom, in the order of the links; of a long cycle its ends."""
    yield text(Span("Cycle", Role.TITLE))
    fits = len(steps) <= MOST_STEPS
    yield from (text("  ", *_step(step)) for step in steps[: None if fits else MOST_STEPS - 1])
    if not fits:
        yield from _more(len(steps) - MOST_STEPS, "thread")
        yield text("  ", *_step(steps[-1]))


def _step(step: Step) -> Text:
    """Write one member of a cycle."""
    some = step.any and len(step.waits_for) > 1
    others = ("any of " if some else "") + _gdb(step.waits_for)
    return text(f"GDB thread {step.gdb_num}: {step.what}", *_where(step.location), f" -> {others}")


def _where(spot: Optional[Location]) -> Text:
    return after(", ", location(spot))


def _members(numbers: Sequence[int]) -> str:
    return numbered("thread", numbers)
