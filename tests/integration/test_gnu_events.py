# SPDX-License-Identifier: Apache-2.0
"""Event breakpoints in programs of GCC's own runtime, which announces no events: one stop for
each region, task and league, as the programs count them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support.build import PROGRAMS, Build
from support.events import COUNTERS, PROGRAM, events, hits
from support.gdb_session import run_gdb
from support.runtimes import GNU

EVENTS = ("parallel-begin", "parallel-end", "task-begin", "task-end")
TASKS = ("tasks_of_update", "tasks_of_others", "undeferred_tasks", "iterations")


def c_program(opt: str) -> Build:
    return Build(PROGRAM, "gcc", opt, GNU)


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_one_hit_for_each_region_and_task(opt: str) -> None:
    found, counted = hits(c_program(opt), [f"ompd break {event}" for event in EVENTS])
    assert set(COUNTERS) <= set(counted)
    regions = counted["regions_of_solve"] + counted["regions_of_others"]
    tasks = sum(counted[name] for name in TASKS)
    # A task that is executed at once is one for this runtime, too.
    assert regions > 20 and tasks > 200 and counted["undeferred_tasks"] == 1
    assert found == [regions, regions, tasks, tasks]


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_a_region_that_the_systems_code_has_led_to(opt: str) -> None:
    """Where its function has left no frame, none of the program's is that of the construct."""
    said = events(c_program(opt), ["ompd break parallel-begin before_main", "run b"]).stdout
    assert re.search(r"begins at events.c:\d+ in before_main, 2 threads requested", said), said
    assert "_start" not in said


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_a_location_is_the_constructs(opt: str) -> None:
    places = ["parallel-begin solve", "parallel-end solve", "task-begin update"]
    places += ["task-end update", "task-begin loop", "task-end make_undeferred"]
    found, counted = hits(c_program(opt), [f"ompd break {place}" for place in places])
    solve, update = counted["regions_of_solve"], counted["tasks_of_update"]
    assert solve > 5 and update > 5
    assert found == [solve, solve, update, update, counted["iterations"], 2]


def test_what_is_said_is_what_the_functions_say() -> None:
    said = events(
        c_program("O0"),
        [
            "ompd break parallel-begin nest if inner == 2 && $_omp_level() == 2",
            "ompd break parallel-end nest if inner == 2 && $_omp_level() == 2",
            "run r",
            'printf "told %d %d %s\\n", $_omp_level(), $_omp_event_requested, $_omp_event_function',
            "continue",
            'printf "told %d %d %s\\n", $_omp_level(), $_omp_num_threads(), $_omp_event',
        ],
    ).stdout
    begins = r"OpenMP parallel region begins at events\.c:48 in nest, 2 threads requested, level 2"
    assert re.search(begins + r"\n#1 .* nest\._omp_fn\.\d+ \(.*\) at .*events\.c:48\n", said), said
    assert "told 2 2 nest\n" in said
    # The outer region has two threads, and each of them begins one.
    assert re.search(r"OpenMP parallel region (begins|ends) at events\.c:48 in nest, 2 thr.*", said)
    assert re.search(r"told 2 2 parallel-(begin|end)\n", said)


def test_a_task_says_who_made_it() -> None:
    asked = ["ompd tbreak task-begin update", "run t", "ompd tasks", "info breakpoints"]
    said = events(c_program("O0"), asked).stdout
    line = r"OpenMP task begins at events\.c:54 in update, made by the (implicit task|task at)"
    assert re.search(line, said), said
    assert re.search(r"  0 explicit .* update at events\.c:54\n", said), said


def test_threads_of_a_nested_region_end_with_it() -> None:
    wanted = ["thread-begin", "thread-end"]
    found, _ = hits(c_program("O0"), [f"ompd break {event}" for event in wanted], "r")
    begun, ended = found
    # One worker of each of the two inner regions of nest(2, 2) and of their solve(2), at
    # least; those of outermost regions are kept.
    assert begun > ended >= 2


def test_nothing_is_to_be_switched_on() -> None:
    done = run_gdb(["break solve", "run r", "ompd enable"], binary_of("O0"))
    assert "there are no events to switch in" in done.stderr
    assert "'ompd break' works without" in done.stderr
    assert "ompd_dll_locations_valid" not in done.stdout + done.stderr


def binary_of(opt: str) -> Path:
    from support.build import binary

    return binary(c_program(opt))


def test_a_running_program(tmp_path: Path) -> None:
    """The breakpoint is made when the library is mapped, and kept for the next run."""
    said = events(
        c_program("O2"),
        [
            "break solve",
            "run r",
            "ompd break parallel-begin solve",
            "delete 1",
            "continue",
            "run r",
            "info breakpoints",
        ],
    ).stdout
    assert (
        len(re.findall(r"^OpenMP parallel region begins at events\.c:33 in solve", said, re.M)) == 2
    )
    assert "breakpoint already hit 1 time" in said


def test_a_step_leads_into_the_body() -> None:
    begin = ["ompd tbreak parallel-begin nest", "run r", "ompd step", "ompd finish region"]
    said = events(c_program("O0"), begin).stdout
    assert re.search(r"^nest \[parallel region\] at events\.c\n47\t", said, re.M), said
    assert "OpenMP parallel region at events.c:45 in nest is done." in said
    said = events(c_program("O0"), ["ompd tbreak task-begin update", "run t", "ompd step"]).stdout
    assert re.search(r"^update \[task\] at events\.c\n56\t", said, re.M), said


def test_a_linked_in_libgomp_is_told_in_a_line(tmp_path: Path) -> None:
    source = tmp_path / "static.c"
    source.write_text(LEAGUE, encoding="ascii")
    argv = ["gcc", "-g", "-fopenmp", "-static", source, "-o", tmp_path / "static"]
    subprocess.run(argv, check=True)
    asked = ["ompd break parallel-end", "break league", "run", "ompd break task-end"]
    done = run_gdb([*asked, "info breakpoints"], tmp_path / "static")
    for event in ("parallel-end", "task-end"):
        assert f"where {event} happens in" in done.stderr
    assert done.stderr.count("libgomp is linked into the program") == 2
    assert done.stdout.count("_omp_event_at") == 0


# Other languages

CPP = r"""
#include <atomic>
#include <cstdio>
#include <omp.h>
#include <vector>
std::atomic<int> regions, tasks;
struct Item {
    int value;
    Item(int v) : value(v) {}
    Item(const Item &other) : value(other.value) {}
    ~Item() {}
};
template <class T> void __attribute__((noinline)) reduce(std::vector<T> &data) {
    ++regions;
    T sum{};
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
    for (unsigned i = 0; i < data.size(); ++i) sum += data[i];
    data[0] = sum;
}
// Called with nothing to capture: optimised, it ends with a jump into the runtime.
void __attribute__((noinline)) leave() {
    ++regions;
#pragma omp parallel num_threads(2)
    omp_get_thread_num();
}
void __attribute__((noinline)) copies(bool now) {
    Item item(3);
#pragma omp task firstprivate(item) if (!now)
    tasks += item.value - 2;
#pragma omp taskwait
}
void __attribute__((noinline)) sections() {
    ++regions;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        copies(false);
#pragma omp section
        copies(true);
    }
}
void __attribute__((noinline)) loops() {
    ++regions;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        Item item(1);
#pragma omp taskloop num_tasks(7) firstprivate(item)
        for (int i = 0; i < 7; ++i) tasks += item.value;
#pragma omp taskloop num_tasks(5) if (0)
        for (unsigned long i = 0; i < 5; ++i) ++tasks;
#pragma omp taskgroup
        for (int i = 0; i < 4; ++i) {
#pragma omp task depend(inout : item.value) final(i == 2)
            {
                ++tasks;
#pragma omp task
                ++tasks;
            }
        }
    }
}
int main() {
    std::vector<double> data(50, 1.0);
    for (int i = 0; i < 3; ++i) {
        reduce(data);
        leave();
    }
    sections();
    loops();
    std::printf("COUNTED %d %d\n", regions.load(), tasks.load());
}
"""

FORTRAN = """
module counts
  use omp_lib
  implicit none
  integer :: regions = 0, tasks = 0
contains
  recursive subroutine walk(depth)
    integer, intent(in) :: depth
    !$omp atomic
    tasks = tasks + 1
    if (depth > 0) then
      !$omp task
      call walk(depth - 1)
      !$omp end task
      !$omp task if(depth > 2)
      call walk(depth - 1)
      !$omp end task
      !$omp taskwait
    end if
  end subroutine
  subroutine inner(n)
    integer, intent(in) :: n
    integer :: i, s
    !$omp atomic
    regions = regions + 1
    s = 0
    !$omp parallel do reduction(+:s) num_threads(n) schedule(guided)
    do i = 1, 20
      s = s + i
    end do
  end subroutine
end module
program main
  use counts
  implicit none
  integer :: k
  call omp_set_max_active_levels(2)
  do k = 1, 3
    call inner(k)
  end do
  regions = regions + 1
  !$omp parallel num_threads(2)
  call inner(2)
  !$omp end parallel
  regions = regions + 1
  !$omp parallel num_threads(3)
  !$omp single
  call walk(4)
  !$omp end single
  !$omp end parallel
  print *, 'COUNTED', regions, tasks
end program
"""


def counted_hits(program: Path) -> tuple[list[int], list[int]]:
    """Return how often each of EVENTS stopped, and the program's own counts."""
    breaks = [line for each in EVENTS for line in (f"ompd break {each}", "ignore $bpnum 1000000")]
    tell = "python print('HITS', *(b.hit_count for b in gdb.breakpoints()))"
    done = run_gdb([*breaks, "run", tell], program)
    assert "Traceback" not in done.stderr, done.stderr
    found = re.search(r"^HITS (\d+) (\d+) (\d+) (\d+)$", done.stdout, re.M)
    counted = re.search(r"COUNTED +(\d+) +(\d+)", done.stdout)
    assert found is not None and counted is not None, done.stdout + done.stderr
    return [int(each) for each in found.groups()], [int(each) for each in counted.groups()]


@pytest.mark.parametrize("opt", ["-O0", "-O2"])
def test_cpp(opt: str, tmp_path: Path) -> None:
    source = tmp_path / "counts.cpp"
    source.write_text(CPP, encoding="ascii")
    subprocess.run(["g++", "-g", opt, "-fopenmp", source, "-o", tmp_path / "counts"], check=True)
    found, (regions, tasks) = counted_hits(tmp_path / "counts")
    assert (regions, tasks) == (8, 2 + 7 + 5 + 8)
    assert found == [regions, regions, tasks, tasks]


@pytest.mark.parametrize("opt", ["-O0", "-O2"])
def test_fortran(opt: str, tmp_path: Path) -> None:
    source = tmp_path / "counts.f90"
    source.write_text(FORTRAN, encoding="ascii")
    argv = ["gfortran", "-g", opt, "-fopenmp", source.name, "-o", "counts"]
    subprocess.run(argv, check=True, cwd=tmp_path)
    found, (regions, walks) = counted_hits(tmp_path / "counts")
    assert (regions, walks) == (7, 31)
    assert found == [regions, regions, walks - 1, walks - 1]  # the first is called, no task


LEAGUE = r"""
#include <omp.h>
int leagues, teams, regions;
void __attribute__((noinline)) ended(void) { __asm__ volatile(""); }
void __attribute__((noinline)) league(void) {
    ++leagues;
#pragma omp teams num_teams(3) thread_limit(2)
    {
        ++teams;
        ++regions;
#pragma omp parallel num_threads(2)
        omp_get_thread_num();
    }
}
int main(void) {
    league();
    ended();
}
"""


def test_a_league_and_its_teams(tmp_path: Path) -> None:
    source = tmp_path / "league.c"
    source.write_text(LEAGUE, encoding="ascii")
    subprocess.run(["gcc", "-g", "-fopenmp", source, "-o", tmp_path / "league"], check=True)
    stops = ["ompd break parallel-begin", "ompd break parallel-end", "break ended", "run"]
    said = run_gdb([*stops, *["continue"] * 14], tmp_path / "league").stdout
    for verb in ("begins", "ends"):
        assert (
            len(re.findall(f"^OpenMP league of teams {verb} at league.c:7 in league$", said, re.M))
            == 1
        )
        assert (
            len(re.findall(f"^OpenMP team of a league {verb} at league.c:7 in league$", said, re.M))
            == 3
        )
        inner = f"^OpenMP parallel region {verb} at league.c:11 in league, 2 threads"
        assert len(re.findall(inner, said, re.M)) == 3
    assert "hit Breakpoint 3, ended ()" in said


def test_an_end_that_is_missed_is_said_to_be_so(tmp_path: Path) -> None:
    """The place where it is seen is before the wait for the others."""
    program, script = tmp_path / "late", tmp_path / "wait.py"
    subprocess.run(
        ["gcc", "-g", "-fopenmp", str(PROGRAMS / "late.c"), "-o", str(program)], check=True
    )
    script.write_text(
        "for _ in range(1000):\n"
        "    if 'end-of-region' in gdb.execute('ompd threads', to_string=True):\n"
        "        break\n"
        "    gdb.execute('next', to_string=True)\n"
    )
    asked = ["break stay", "run", f"source {script}", "ompd tbreak parallel-end"]
    asked += ["ompd tbreak parallel-end main", "set var go=1", "ompd finish region"]
    said = run_gdb(asked, program, merged=True).stdout
    late = "GDB thread 1 is at the end of its region at late.c:14 in region already, where this"
    assert said.count(f"{late} cannot stop it any more") == 1, said
    assert "OpenMP parallel region at late.c:14 in region is done." in said
