# SPDX-License-Identifier: Apache-2.0
"""The lines of `ompd icvs`."""

from __future__ import annotations

from gdb_ompd.model import LIBRARY, Icv, IcvOwner, Scope
from gdb_ompd.render.status import icvs_lines
from gdb_ompd.render.style import Style

STACKSIZE = Icv("stacksize-var", Scope.ADDRESS_SPACE, None, 4194304, "4 MiB", LIBRARY)


def of_thread(name: str, gdb_num: int, value: int) -> Icv:
    return Icv(name, Scope.THREAD, IcvOwner(gdb_num=gdb_num), value, str(value), LIBRARY)


def test_by_scope_with_the_owner_in_the_heading_where_there_is_one() -> None:
    icvs = [
        Icv("final-task-var", Scope.TASK, IcvOwner(gdb_num=3), 0, "false", LIBRARY),
        Icv(
            "team-size-var", Scope.PARALLEL, IcvOwner(region=1), 4, "4", "nested-serialized-regions"
        ),
        of_thread("nthreads-var", 3, 4),
        of_thread("dyn-var", 3, 0),
        STACKSIZE,
    ]
    assert list(icvs_lines(icvs)) == [
        "Address space",
        "  stacksize-var   4 MiB",
        "Thread (GDB thread 3)",
        "  nthreads-var    4",
        "  dyn-var         0",
        "Parallel region (region 1)",
        "  team-size-var   4      corrected (nested-serialized-regions)",
        "Task (GDB thread 3)",
        "  final-task-var  false",
    ]


def test_equal_values_of_many_owners_are_said_once() -> None:
    icvs = [of_thread("nthreads-var", n, 2 if n == 9 else 4) for n in range(1, 10)]
    icvs += [of_thread("dyn-var", n, 0) for n in range(1, 10)]
    icvs += [
        Icv("levels-var", Scope.PARALLEL, IcvOwner(region=n), n, str(n), LIBRARY) for n in (1, 2)
    ]
    assert list(icvs_lines(icvs)) == [
        "Thread",
        "  nthreads-var  4  GDB threads 1-8",
        "                2  GDB thread 9",
        "  dyn-var       0  GDB threads 1-9",
        "Parallel region",
        "  levels-var    1  region 1",
        "                2  region 2",
    ]


def test_equal_values_from_different_sources_are_told_apart() -> None:
    one, other = of_thread("nthreads-var", 1, 4), of_thread("nthreads-var", 2, 4)
    corrected = Icv(other.name, other.scope, other.owner, other.value, other.text, "shared-tasks")
    assert list(icvs_lines([one, corrected])) == [
        "Thread",
        "  nthreads-var  4  GDB thread 1",
        "                4  GDB thread 2  corrected (shared-tasks)",
    ]


def test_why_a_value_is_not_known_stands_alone() -> None:
    unknown = Icv(
        "num-procs-var", Scope.GLOBAL, None, None, "not known yet", "number-of-processors"
    )
    assert list(icvs_lines([unknown])) == ["Global", "  num-procs-var  not known yet"]


def test_every_scope_has_a_heading() -> None:
    for scope in Scope:
        heading, line = icvs_lines([Icv("a-var", scope, None, 1, "1", LIBRARY)])
        assert heading.lower().startswith(scope.value.lower())
        assert line == "  a-var  1"


def test_nothing_known() -> None:
    assert list(icvs_lines([])) == ["No ICVs."]
    assert list(icvs_lines([Icv("a-var", Scope.GLOBAL, None, None, "", LIBRARY)])) == [
        "Global",
        "  a-var  -",
    ]


def test_styles() -> None:
    style = Style(variable=lambda s: f"[{s}]", title=str.upper)
    assert list(icvs_lines([STACKSIZE], style)) == [
        "ADDRESS SPACE",
        "  [stacksize-var]  4 MiB",
    ]
