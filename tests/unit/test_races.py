# SPDX-License-Identifier: Apache-2.0
"""When writes make a race: two threads in a team, and no lock in common to all of them."""

from __future__ import annotations

from gdb_ompd.explain.facts import Held
from gdb_ompd.explain.races import Write, Writes
from gdb_ompd.model import Location, TaskKind
from gdb_ompd.render import event as render

GATE = Held("critical", 64, "gate", None, True)
LOCK = Held("lock", 128, "locks[0]", None, True)
UNNAMED = Held("critical", None, "", None, True)


def _write(number: int, *held: Held, level: int = 1) -> Write:
    return Write(number + 1, number, 4, level, TaskKind.IMPLICIT, None, held)


def test_one_thread_makes_no_race() -> None:
    seen = Writes()
    assert [seen.add(_write(0)) for _ in range(3)] == [None, None, None]


def test_two_threads_without_a_lock_make_one() -> None:
    seen = Writes()
    first, second = _write(0), _write(1, GATE)
    assert seen.add(first) is None
    race = seen.add(second)
    assert race is not None and (race.before, race.now) == (first, second)


def test_a_lock_in_common_keeps_writes_apart() -> None:
    seen = Writes()
    assert seen.add(_write(0, GATE, LOCK)) is None
    assert seen.add(_write(1, LOCK)) is None
    assert seen.add(_write(2, LOCK, UNNAMED)) is None
    race = seen.add(_write(3, GATE))
    assert race is not None and race.before.thread_num == 2


def test_the_same_lock_twice_is_one_whatever_it_is_called() -> None:
    seen = Writes()
    assert seen.add(_write(0, LOCK)) is None
    assert seen.add(_write(1, LOCK._replace(name="own->lock"))) is None
    assert seen.add(_write(2, UNNAMED)) is not None


def test_what_is_before_a_region_is_over_when_it_begins_and_ends() -> None:
    seen = Writes()
    assert seen.add(_write(0, level=0)) is None
    assert seen.add(_write(1)) is None
    seen.forget()
    assert seen.add(_write(2)) is None
    assert seen.add(_write(0, level=0)) is None
    assert seen.add(_write(3)) is None


def test_outside_of_openmp_nothing_is_said_of_teams() -> None:
    assert Writes().add(Write(7)) is None
    assert render.written(Write(7), prefix="2.") == "Written by GDB thread 2.7"


def test_what_is_held_is_said() -> None:
    place = Location("update", "/src/a.c", 12, 0)
    seen = Writes()
    assert seen.add(_write(0, UNNAMED, LOCK)._replace(place=place)) is None
    race = seen.add(_write(1)._replace(held=None))
    assert race is not None
    assert list(render.race(race, "total")) == [
        "Threads of the team write total without a lock in common:",
        "  thread 0 of 4 (GDB thread 1), level 1, implicit task, update at a.c:12,"
        ' holds the unnamed critical, lock "locks[0]"',
        "  thread 1 of 4 (GDB thread 2), level 1, implicit task, what it holds is not known",
        render.NOT_TOLD,
    ]
    elsewhere = Location("update", "/src/a.c", 20, 0)
    lock = Held("lock", 256, None, place, False)
    here = _write(2, lock, lock._replace(location=elsewhere))
    again = seen.add(here)
    assert again is not None and list(render.race(again, "x"))[2].endswith("holds lock 0x100")
