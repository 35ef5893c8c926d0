# SPDX-License-Identifier: Apache-2.0
"""Whole screens of 80 and 200 columns, for teams of 8, 64 and 200 threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from gdb_ompd.explain.facts import At, Facts
from gdb_ompd.explain.verdict import explain
from gdb_ompd.model import (
    ControlVariable,
    Icv,
    Location,
    Membership,
    Region,
    Scope,
    Snapshot,
    Task,
    TaskFrames,
    TaskKind,
    Thread,
    ThreadKind,
    WaitsFor,
)
from gdb_ompd.model.loops import Share
from gdb_ompd.model.waits import Kind, Wait
from gdb_ompd.render import loops, parallel, status, tasks, threads, why
from gdb_ompd.render.style import Style

NAME = "heat::Plate<double, std::allocator<double> >::relax(std::vector<double>&, unsigned long)"
EDGE = Location(NAME, "plate.cpp", 52, 0x401106)
LATE = Location("std::function<void (int)>::operator()(int) const", "plate.cpp", 1040, 0x401200)
SIZES = (8, 64, 200)
WIDTHS = (80, 200)


def _thread(number: int, size: int) -> Thread:
    late = number % 2 == 1
    return Thread(
        inferior=1,
        gdb_num=number + 1,
        lwp=2044800 + 3 * number,
        kind=ThreadKind.WORKER,
        selected=number == 1,
        thread_num=number,
        team_size=size,
        level=1,
        active_level=1,
        memberships=(Membership(number, size), Membership(0, 1)),
        region=1,
        state="work_parallel" if late else "wait_barrier_explicit",
        waits_for=None if late else WaitsFor("explicit barrier"),
        task=TaskKind.IMPLICIT,
        location=LATE if late else EDGE,
    )


def _snapshot(size: int) -> Snapshot:
    team = tuple(_thread(number, size) for number in range(size))
    numbers = tuple(thread.gdb_num for thread in team)
    region = Region(1, 1, None, 1, 1, size, False, NAME, "plate.cpp", 40, numbers)
    return Snapshot(team, (region,))


def _facts(size: int) -> Facts:
    def at(thread: Thread) -> At:
        early = thread.waits_for is not None
        wait = Wait(Kind.EXPLICIT_BARRIER if early else None, location=thread.location)
        number = thread.thread_num
        blocked = early or None
        return At(thread.gdb_num, wait, False, True, number, 1, blocked=blocked, team_size=size)

    snapshot = _snapshot(size)
    return Facts(tuple(map(at, snapshot.threads)), snapshot.regions)


def _chain(size: int) -> list[Task]:
    frames = TaskFrames(0x7FFFFFFFDBB0, 0x7FFFFFFFDC80)
    return [
        Task(n + 1, 0, n, TaskKind.IMPLICIT, NAME, "plate.cpp", 40, False, frames, None, None, True)
        for n in range(size)
    ]


def _icvs(size: int) -> list[Icv]:
    text = "OMP: pid %P tid %i thread %n bound to OS proc set {%A} on the host that is called %H"
    found = [Icv("affinity-format-var", Scope.ADDRESS_SPACE, None, text, text, "libompd")]
    return found + [Icv("nthreads-var", Scope.THREAD, None, n, f"{n}", "runtime") for n in (1, 2)]


def _variables(size: int) -> list[ControlVariable]:
    long = ",".join(f"{{{n}}}" for n in range(size))
    return [ControlVariable("OMP_PLACES", long, "environment")]


def _shares(size: int) -> list[Share]:
    """One of two threads is in a loop of GCC's."""
    loop = Location(None, "plate.cpp", 41, 0x401100)
    given = {"whole": (500000, 5), "step": -5, "of_variable": True, "all_given": True}
    return [
        Share(n, n + 1, loop, "dynamic", 20, now=(500 + n, 405 + n), iteration=n, **given)
        if n % 2 == 0
        else Share(n, n + 1)
        for n in range(size)
    ]


def _by_number(size: int) -> dict[int, Thread]:
    return {thread.gdb_num: thread for thread in _snapshot(size).threads}


SCREENS: dict[str, Callable[[int, int], Iterator[str]]] = {
    "threads": lambda size, width: threads.lines(_snapshot(size), max_width=width),
    "threads -all": lambda size, width: threads.lines(_snapshot(size), fold=False, max_width=width),
    "parallel": lambda size, width: parallel.tree(_snapshot(size), Style(width=width)),
    "tasks": lambda size, width: tasks.lines(_chain(size), Style(width=width)),
    "loop": lambda size, width: loops.lines(_shares(size), _by_number(size), Style(width=width)),
    "why": lambda size, width: why.lines(explain(_facts(size)), Style(width=width)),
    "icvs": lambda size, width: status.icvs_lines(_icvs(size), Style(width=width)),
    "env": lambda size, width: status.env_lines(_variables(size), Style(width=width)),
}


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_the_screen(screen: str, size: int, width: int) -> None:
    shown = "\n".join(SCREENS[screen](size, width)).split("\n")
    assert shown
    assert [line for line in shown if len(line) > width] == []
    assert [line for line in shown if line != line.rstrip()] == []


@pytest.mark.parametrize("size", SIZES)
def test_a_narrow_screen_and_a_wide_one_say_the_same_of_who_waits(size: int) -> None:
    narrow, wide = (" ".join(SCREENS["why"](size, width)).split() for width in WIDTHS)
    assert " ".join(narrow[: narrow.index("Team")]) == " ".join(wide[: wide.index("Team")])
    assert f"{size // 2} threads" in " ".join(narrow) or size == 8


def test_why_of_two_hundred_threads_on_eighty_columns() -> None:
    assert list(SCREENS["why"](200, 80)) == [
        "Waiting for 100 threads (GDB 2,4,6,8,10,12,14,16,...) at plate.cpp:1040.",
        "Team of 200, level 1, heat::Plate<...>::relax(...) at plate.cpp:40",
        "  100 threads: 0,2,4,6,8,10,12,14,... (GDB threads 1,3,5,7,9,11,13,15,...): at",
        "      barrier, heat::Plate<...>::relax(...) at plate.cpp:52",
        "  100 threads: 1,3,5,7,9,11,13,15,... (GDB threads 2,4,6,8,10,12,14,16,...):",
        "      working, std::function<void (...)>::operator()(...) const at",
        "      plate.cpp:1040, has not arrived",
    ]


def test_threads_of_sixty_four_on_eighty_columns() -> None:
    shown = list(SCREENS["threads"](64, 80))
    assert shown[0].split() == ["Threads", "GDB", "Team", "Level", "State"]
    assert all("204" not in line for line in shown)  # the LWPs have given way
    assert (
        shown[2] == "      heat::Plate<double, std::allocator<double> >::relax(...) at plate.cpp:52"
    )


def test_the_selected_thread_is_marked_on_each_screen() -> None:
    for size in SIZES:
        for width in WIDTHS:
            for screen in ("threads", "parallel"):
                marks = [line for line in SCREENS[screen](size, width) if line[:4].strip() == "*"]
                assert len(marks) == 1 or screen == "parallel", (screen, size, width)


def test_a_crashed_thread_has_its_signal_in_its_state() -> None:
    one = _thread(1, 8)._replace(signal="SIGSEGV")
    assert "crashed: SIGSEGV" in list(threads.lines(Snapshot((one,), ())))[1]
