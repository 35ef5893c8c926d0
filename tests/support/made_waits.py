# SPDX-License-Identifier: Apache-2.0
"""Reports of hangs that no program was in, with as many threads as wanted."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_ompd.explain.report import Group, Lock, Report, Step, Team, Verdict
from gdb_ompd.model import Location

BARRIER = Location("step", "/src/heat.c", 52, 0x401200)
ENTER = Location("update<std::vector<double, std::allocator<double>>>", "/src/heat.c", 30, 0x401300)
OTHER = Location("withdraw", "/src/heat.c", 38, 0x401400)
READ = Location("exchange", "/src/exchange.c", 40, 0x401900)


def reports(count: int) -> dict[str, Report]:
    """Return hangs of COUNT threads, an even number of at least 4, by what happens in them."""
    numbers = tuple(range(1, count + 1))
    return {
        "ring": _ring(numbers),
        "pairs": _pairs(numbers),
        "gate": _gate(numbers),
        "late": _late(numbers),
        "queue": _queue(numbers),
        "chain": _chain(numbers),
        "places": _places(numbers),
    }


def _report(verdict: Verdict, teams: Sequence[Team], *more: object) -> Report:
    locks, cycles = (*more, (), ())[:2]
    return Report(verdict, f"{verdict.value}: as made", tuple(teams), locks, cycles)  # type: ignore


def _one(number: int, name: str, place: Location) -> Group:
    return Group((number,), (number - 1,), "lock", name, 0x1000 + number, None, place, False)


def _ring(numbers: Sequence[int]) -> Report:
    """Each waits for the lock of the next."""
    groups = tuple(_one(n, f"fork[{n}]", ENTER) for n in numbers)
    steps = tuple(Step(n, f'lock "fork[{n}]"', ENTER, (n % len(numbers) + 1,)) for n in numbers)
    return _report(Verdict.DEADLOCK, [Team(None, groups)], (), (steps,))


def _pairs(numbers: Sequence[int]) -> Report:
    """Teams of two, in each of which both wait for each other."""
    teams, cycles = [], []
    for n in numbers[::2]:
        teams.append(Team(None, (_one(n, "a", ENTER), _one(n + 1, "b", OTHER))))
        steps = Step(n, 'lock "a"', ENTER, (n + 1,)), Step(n + 1, 'lock "b"', OTHER, (n,))
        cycles.append(steps)
    return _report(Verdict.DEADLOCK, teams, (), tuple(cycles))


def _gate(numbers: Sequence[int]) -> Report:
    """One waits at a barrier in a critical, half of the others for the critical, half elsewhere."""
    first, rest = numbers[0], numbers[1:]
    late, away = rest[::2], rest[1::2]
    groups = (
        Group((first,), (0,), "explicit barrier", None, None, None, BARRIER, True),
        Group(late, tuple(late), "critical", "gate", 0x10, None, ENTER, False),
        Group(away, tuple(away), "end-of-region barrier", None, None, None, OTHER, True),
    )
    steps = (Step(first, "barrier", BARRIER, tuple(late)),)
    steps += tuple(Step(n, 'critical "gate"', ENTER, (first,)) for n in late)
    lock = Lock("critical", 0x10, "gate", tuple(late), (first,), "inferred", True)
    team = Team(None, groups, (), BARRIER)
    return _report(Verdict.DEADLOCK, [team], (lock,), (steps,))


def _late(numbers: Sequence[int]) -> Report:
    """All but one wait at a barrier."""
    *most, last = numbers
    groups = (
        Group(tuple(most), tuple(most), "explicit barrier", None, None, None, BARRIER, True),
        Group((last,), (last,), None, None, None, "MPI_Recv", READ, False),
    )
    return _report(Verdict.WAITING, [Team(None, groups, (), BARRIER)])


def _queue(numbers: Sequence[int]) -> Report:
    """All wait for the lock of one, which sleeps."""
    first, rest = numbers[0], numbers[1:]
    groups = (
        Group((first,), (0,), None, None, None, "sleep", READ, False),
        Group(rest, tuple(rest), "lock", "door", 0x10, None, ENTER, False),
    )
    lock = Lock("lock", 0x10, "door", tuple(rest), (first,), "runtime", True)
    return _report(Verdict.WAITING, [Team(None, groups)], (lock,))


def _chain(numbers: Sequence[int]) -> Report:
    """Each waits for the lock of the next, the last one for nothing."""
    last = Group((numbers[-1],), (0,), None, None, None, "sleep", READ, False)
    groups = (*(_one(n, f"node[{n}]", ENTER) for n in numbers[:-1]), last)
    locks = tuple(
        Lock("lock", 0x1000 + n, f"node[{n}]", (n,), (n + 1,), "runtime", True)
        for n in numbers[:-1]
    )
    return _report(Verdict.WAITING, [Team(None, groups)], locks)


def _places(numbers: Sequence[int]) -> Report:
    """Two at a barrier; the others are at as many places, and late."""
    early = tuple(numbers[:2])
    groups = [Group(early, (0, 1), "explicit barrier", None, None, None, BARRIER, True)]
    for n in numbers[2:]:
        spot = Location(f"part_{n}", "/src/parts.c", n, n)
        groups.append(Group((n,), (n,), None, None, None, None, spot, False))
    return _report(Verdict.WAITING, [Team(None, tuple(groups), (), BARRIER)])
