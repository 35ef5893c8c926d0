# SPDX-License-Identifier: Apache-2.0
"""The lines of `ompd threads`."""

from __future__ import annotations

from typing import Any, Optional

import pytest

from gdb_ompd.model import Location, Membership, Snapshot, TaskKind, Thread, ThreadKind, WaitsFor
from gdb_ompd.render.style import Style, plain
from gdb_ompd.render.threads import FOLDED_NOTE, lines
from gdb_ompd.render.words import state


def member(gdb_num: int, thread_num: int, size: int = 4) -> Thread:
    """Return a thread that works at level 1."""
    return Thread(
        inferior=1,
        gdb_num=gdb_num,
        lwp=20448 + gdb_num,
        kind=ThreadKind.WORKER,
        thread_num=thread_num,
        team_size=size,
        level=1,
        active_level=1,
        memberships=(Membership(thread_num, size), Membership(0, 1)),
        region=1,
        state="work_parallel",
        task=TaskKind.IMPLICIT,
        location=Location("work", "src/heat.c", 6, 0x401106),
    )


def listing(*threads: Thread, **options: Any) -> list[str]:
    return list(lines(Snapshot(threads, ()), **options))


@pytest.mark.parametrize(
    ("function", "shown"),
    [
        ("Solver<std::map<int, double> >::run", "Solver<std::map<int, double> >::run"),
        (f"Solver<{'std::map<int, ' * 9}int{' >' * 9} >::run<4>", "Solver<...>::run<...>"),
        (f"sum<int>({', '.join(['std::vector<int>'] * 9)})", "sum<int>(...)"),
        # As numba names its functions.
        (f"__main__::sum[abi:v1][abi:c8{'t' * 100}](int)", "__main__::sum(int)"),
        (
            f"__gufunc__._ZN13_3cdynamic_3e3sumB2v2B100{'t' * 100}E5Array",
            "__gufunc__.<dynamic>::sum",
        ),
        (f"_ZN{'x' * 130}", f"_ZN{'x' * 130}"),
    ],
)
def test_a_long_name_is_written_short(function: str, shown: str) -> None:
    thread = member(1, 0)._replace(location=Location(function, "heat.c", 6, 1))
    assert f"implicit  {shown} at heat.c:6" in listing(thread)[1]


def test_one_of_each_kind() -> None:
    barrier = member(1, 0)._replace(
        kind=ThreadKind.INITIAL,
        state="wait_barrier_explicit",
        location=Location("main", "heat.c", 13, 0x401200),
    )
    threads = (
        barrier,
        member(4, 3)._replace(selected=True),
        Thread(1, 5, 20460, None, ThreadKind.NATIVE, location=Location("log", "io.c", 88, 1)),
        Thread(1, 6, 20461, None, ThreadKind.HELPER, location=Location(None, None, None, 0x7F10)),
        Thread(1, 7, 20462, None, ThreadKind.WORKER, idle=True),
        Thread(1, 8, 20463, running=True),
    )
    assert list(lines(Snapshot(threads, (), ("One note.",)))) == [
        "  GDB    LWP  Team    Level  State                 Task      Where",
        "    1  20449  0 of 4  1      at barrier            implicit  main at heat.c:13",
        "*   4  20452  3 of 4  1      working               implicit  work at heat.c:6",
        "    5  20460  -       -      not an OpenMP thread  -         log at io.c:88",
        "    6  20461  -       -      OpenMP helper         -         0x7f10",
        "    7  20462  -       -      idle                  -",
        "    8  20463  -       -      (running)             -",
        "One note.",
    ]


def test_no_threads() -> None:
    assert listing() == ["No threads."]


def test_one_thread_of_which_nothing_is_known() -> None:
    assert listing(Thread(1, 1, 99)) == [
        "  GDB  LWP  Team  Level  State  Task",
        "    1   99  -     -      -      -",
    ]


def test_an_unreadable_thread_is_one_row_that_says_why() -> None:
    broken = Thread(1, 2, 99, error="cannot read memory at 0x10")
    somewhere = broken._replace(location=Location("work", "heat.c", 6, 1))
    assert listing(broken, somewhere)[1:] == [
        "    2   99  -     -      unreadable  -     cannot read memory at 0x10",
        "    2   99  -     -      unreadable  -     work at heat.c:6: cannot read memory at 0x10",
    ]


def test_without_locations_only_errors_are_left_in_the_last_column() -> None:
    assert listing(member(1, 0), locations=False) == [
        "  GDB    LWP  Team    Level  State    Task",
        "    1  20449  0 of 4  1      working  implicit",
    ]
    broken = Thread(1, 2, 99, error="cannot read memory", location=Location("f", "a.c", 1, 1))
    assert listing(broken, locations=False) == [
        "  GDB  LWP  Team  Level  State       Task  Problem",
        "    2   99  -     -      unreadable  -     cannot read memory",
    ]


def test_a_nested_thread_shows_its_teams_innermost_first_and_the_active_level() -> None:
    nested = member(1, 1, 2)._replace(
        level=2,
        active_level=1,
        memberships=(Membership(1, 2), Membership(3, 4), Membership(0, 1)),
    )
    assert "  1 of 2 < 3 of 4  2 (1 active)  working  " in listing(nested)[1]
    alone = (Membership(0, 1),) * 20
    deep = nested._replace(team_size=1, thread_num=0, memberships=(*alone, *nested.memberships))
    assert "  0 of 1 (20 levels) < 1 of 2 < 3 of 4  " in listing(deep)[1]


def test_the_team_without_memberships_or_size() -> None:
    bare = member(1, 3)._replace(memberships=(), team_size=None)
    assert "  3 of ?  " in listing(bare)[1]
    alone = member(1, 0, 1)._replace(memberships=(Membership(0, 1),), level=0, active_level=0)
    assert "  0 of 1  0      working" in listing(alone)[1]


def test_the_initial_team_of_a_league_in_a_region_has_no_level_of_its_own() -> None:
    places = (Membership(1, 2), Membership(0, 1))
    one = member(1, 0, 1)._replace(memberships=places)
    assert "  0 of 1 < 1 of 2  1      working" in listing(one)[1]
    league = member(1, 0, 2)._replace(memberships=(Membership(0, 1),), level=0, active_level=0)
    assert "  0 of 2  0      working" in listing(league)[1]


def test_two_inferiors_have_numbers_as_gdb_writes_them() -> None:
    other = member(3, 1)._replace(inferior=2)
    assert [line.split()[0] for line in listing(member(1, 0), other)] == ["GDB", "1.1", "2.3"]


def test_sixty_four_threads_are_folded_but_for_the_selected_one() -> None:
    team = [member(n + 1, n, 64) for n in range(64)]
    team[5] = team[5]._replace(selected=True)
    team[9] = team[9]._replace(location=Location("update", "heat.c", 31, 0x401300))
    assert listing(*team) == [
        "  Threads            GDB              LWP  Team                 Level  State"
        "    Task      Where",
        "       62  1-5,7-9,11-64  20449-20453,...  0-4,6-8,10-63 of 64  1      working"
        "  implicit  work at heat.c:6",
        "*       1              6            20454  5 of 64              1      working"
        "  implicit  work at heat.c:6",
        "        1             10            20458  9 of 64              1      working"
        "  implicit  update at heat.c:31",
        FOLDED_NOTE,
    ]


def test_folding_can_be_asked_for_and_refused() -> None:
    team = [member(n + 1, n, 64) for n in range(64)]
    unfolded = listing(*team, fold=False)
    assert len(unfolded) == 65 and FOLDED_NOTE not in unfolded
    assert [line.split()[0] for line in unfolded[1:]] == [str(n + 1) for n in range(64)]
    assert listing(*team[:2], fold=True) == [
        "  Threads  GDB          LWP  Team       Level  State    Task      Where",
        "        2  1-2  20449-20450  0-1 of 64  1      working  implicit  work at heat.c:6",
        FOLDED_NOTE,
    ]


def test_where_nothing_is_equal_nothing_is_said_of_folding() -> None:
    different = member(2, 1)._replace(state="overhead")
    assert listing(member(1, 0), different, fold=True) == listing(member(1, 0), different)


def test_threads_of_two_inferiors_are_not_folded_together() -> None:
    other = member(1, 0)._replace(inferior=2)
    shown = listing(member(1, 0), other, fold=True)
    assert [line.split()[0] for line in shown] == ["GDB", "1.1", "2.1"]


def test_nested_teams_are_folded_level_by_level() -> None:
    nested = [
        member(n + 1, 0, 1)._replace(
            level=2,
            memberships=(Membership(0, 1), Membership(n, 3), Membership(0, 1)),
        )
        for n in range(3)
    ]
    assert "  0 of 1 < 0-2 of 3  " in listing(*nested, fold=True)[1]


def test_a_long_name_is_shortened_only_to_a_given_width() -> None:
    name = "grid<double, 3>::relax(std::vector<double, std::allocator<double> >&)::lambda"
    long = member(1, 0)._replace(location=Location(name, "grid.cc", 200, 1))
    assert listing(long)[1].endswith(f"  {name} at grid.cc:200")
    shortened = listing(long, max_width=80)
    assert shortened == [
        "  GDB  Team    Level  State    Task      Where",
        "    1  0 of 4  1      working  implicit  grid<...>::....)::lambda at grid.cc:200",
    ]


def test_styles_paint_functions_and_files() -> None:
    style = Style(function=lambda s: f"[{s}]", filename=lambda s: f"<{s}>", title=str.upper)
    painted = listing(member(1, 0), style=style)
    assert painted[0].split() == ["GDB", "LWP", "TEAM", "LEVEL", "STATE", "TASK", "WHERE"]
    assert painted[1].endswith("implicit  [work] at <heat.c>:6")


@pytest.mark.parametrize(
    "name, words",
    [
        ("work_serial", "working (serial)"),
        ("wait_barrier_implicit_parallel", "at end-of-region barrier"),
        ("wait_barrier_implicit_workshare", "at worksharing barrier"),
        ("wait_taskwait", "at taskwait"),
        ("wait_lock", "waiting for lock"),
        ("overhead", "in the OpenMP runtime"),
        ("a_state_of_tomorrow", "a state of tomorrow"),
        (None, "-"),
    ],
)
def test_states_in_words(name: Optional[str], words: str) -> None:
    assert plain(state(Thread(1, 1, 1, state=name))) == words


@pytest.mark.parametrize(
    "name, wait, words",
    [
        ("wait_critical", WaitsFor("critical", 0x40, "gate"), 'waiting for critical "gate"'),
        ("wait_lock", WaitsFor("lock", 0x7FF0), "waiting for lock 0x7ff0"),
        ("wait_barrier_implicit", WaitsFor("barrier", 0x40), "at implicit barrier"),
        ("wait_barrier", WaitsFor("taskwait"), "at taskwait"),
        ("work_parallel", WaitsFor("barrier", 0x40), "at barrier"),
        (None, WaitsFor("taskgroup"), "at end of taskgroup"),
    ],
)
def test_what_a_thread_waits_for(name: Optional[str], wait: WaitsFor, words: str) -> None:
    assert plain(state(Thread(1, 1, 1, state=name, waits_for=wait))) == words


def test_what_was_written_last_is_written_again_only_for_the_same_question() -> None:
    first, second = member(1, 0), member(2, 1)
    once = listing(first, second)
    assert listing(Thread(*first), second) == once
    assert listing(first, second._replace(state="wait_barrier")) != once
    assert listing(first, second, locations=False) != once
    assert listing(first, second, fold=True) != once
    shown = list(lines(Snapshot((first, second), (), ("A note.",))))
    assert shown == [*once, "A note."]
    abandoned = lines(Snapshot((second, first), ()))
    next(abandoned)
    assert listing(second, first) != once
    assert listing(first, second) == once
