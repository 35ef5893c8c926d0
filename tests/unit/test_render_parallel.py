# SPDX-License-Identifier: Apache-2.0
"""The lines of `ompd parallel`."""

from __future__ import annotations

from typing import Optional

from gdb_ompd.model import (
    Location,
    Region,
    Snapshot,
    TargetConstruct,
    TargetKind,
    Thread,
    ThreadKind,
    WaitsFor,
)
from gdb_ompd.render.parallel import nest, tree
from gdb_ompd.render.style import Style


def thread(gdb_num: int, region: Optional[int], state: str = "work_parallel") -> Thread:
    spot = Location("work", "src/heat.c", 6, 0x401106)
    return Thread(1, gdb_num, 100 + gdb_num, region=region, state=state, location=spot)


def at_barrier(gdb_num: int, region: int) -> Thread:
    spot = Location("main", "heat.c", 13, 0x401200)
    waiting = thread(gdb_num, region, "wait_barrier_explicit")
    return waiting._replace(location=spot)


def region(number: int, *threads: Optional[int], parent: Optional[int] = None) -> Region:
    level = 1 if parent is None else 2
    return Region(
        id=number,
        parallel_id=0x1000 + number,
        parent=parent,
        level=level,
        active_level=level,
        team_size=len(threads),
        serialized=False,
        function="main",
        file="heat.c",
        line=11,
        threads=threads,
    )


OUTER = region(1, 1, 2, 3, 4)
TEAM = (
    at_barrier(1, 1),
    at_barrier(2, 1),
    thread(3, 1, "wait_critical")._replace(waits_for=WaitsFor("critical", None, "gate")),
    thread(4, 1)._replace(selected=True),
)


def test_members_are_grouped_by_what_they_do() -> None:
    expected = [
        "Region 1  level 1, 4 threads: main at heat.c:11, begun by GDB thread 1",
        "  0-1  (GDB 1-2)  at barrier: main at heat.c:13",
        '  2    (GDB 3)    waiting for critical "gate": work at heat.c:6',
        "* 3    (GDB 4)    working: work at heat.c:6",
        "A note.",
    ]
    snapshot = Snapshot(TEAM, (OUTER,), ("A note.",))
    assert list(tree(snapshot)) == expected
    assert list(nest(snapshot, TEAM[0])) == expected


def nested_snapshot() -> Snapshot:
    """Thread 3 (number 1) began region 2, in which thread 5 works with it."""
    inner = region(2, 3, 5, parent=1)._replace(function="update", line=29)
    threads = (at_barrier(1, 1), thread(3, 2), thread(5, 2))
    return Snapshot(threads, (region(1, 1, 3), inner))


def test_a_nested_region_is_below_the_member_that_began_it() -> None:
    assert list(tree(nested_snapshot())) == [
        "Region 1  level 1, 2 threads: main at heat.c:11, begun by GDB thread 1",
        "  0  (GDB 1)  at barrier: main at heat.c:13",
        "  1  (GDB 3)  in region 2",
        "  Region 2  level 2, 2 threads: update at heat.c:29, begun by GDB thread 3",
        "    0-1  (GDB 3,5)  working: work at heat.c:6",
    ]


def test_the_nest_of_a_thread_is_innermost_first() -> None:
    snapshot = nested_snapshot()
    expected = [
        "Region 2  level 2, 2 threads: update at heat.c:29, begun by GDB thread 3",
        "  0-1  (GDB 3,5)  working: work at heat.c:6",
        "Region 1  level 1, 2 threads: main at heat.c:11, begun by GDB thread 1",
        "  0  (GDB 1)  at barrier: main at heat.c:13",
        "  1  (GDB 3)  in region 2",
    ]
    assert list(nest(snapshot, snapshot.threads[2])) == expected
    assert list(nest(snapshot, snapshot.threads[0])) == expected[2:]


def test_no_region() -> None:
    alone = thread(1, None, "work_serial")._replace(selected=True)
    native = Thread(1, 2, 102, kind=ThreadKind.NATIVE)
    snapshot = Snapshot((alone, native), ())
    assert list(tree(snapshot)) == [
        "There is no parallel region.",
        "In no region",
        "* GDB 1  working (serial): work at heat.c:6",
        "  GDB 2  not an OpenMP thread",
    ]
    assert list(nest(snapshot, native)) == [
        "GDB thread 2 is in no parallel region: not an OpenMP thread"
    ]
    assert list(tree(Snapshot((), ()))) == ["There is no parallel region."]


def test_unknown_and_unreadable_members() -> None:
    broken = Thread(1, 3, 103, error="cannot read memory at 0x10")
    bare = region(1, None, 9, 3)._replace(function=None, file=None, line=None)
    assert list(tree(Snapshot((broken,), (bare,)))) == [
        "Region 1  level 1, 3 threads",
        "  0  (GDB ?)  unknown",
        "  1  (GDB 9)  unknown",
        "  2  (GDB 3)  unreadable: cannot read memory at 0x10",
    ]


def test_a_nested_region_whose_beginner_is_unknown_is_shown_at_the_end() -> None:
    inner = region(2, None, 5, parent=1)
    lines = list(tree(Snapshot((at_barrier(1, 1), thread(5, 2)), (region(1, 1), inner))))
    assert lines == [
        "Region 1  level 1, 1 thread: main at heat.c:11",
        "  0  (GDB 1)  at barrier: main at heat.c:13",
        "  Region 2  level 2, 2 threads: main at heat.c:11",
        "    0  (GDB ?)  unknown",
        "    1  (GDB 5)  working: work at heat.c:6",
    ]


def serialized_snapshot(size: int) -> Snapshot:
    """Each thread of a team is in a region of its own, serialized."""
    inner = [
        region(1 + n, n, parent=1)._replace(serialized=True, active_level=1)
        for n in range(1, size + 1)
    ]
    outer = region(1, *range(1, size + 1))
    return Snapshot(tuple(thread(n, 1 + n) for n in range(1, size + 1)), (outer, *inner))


def test_sixty_four_serialized_regions_that_are_alike_are_one() -> None:
    snapshot = serialized_snapshot(64)
    assert list(tree(snapshot)) == [
        "Region 1  level 1, 64 threads: main at heat.c:11, begun by GDB thread 1",
        "  0-63  (GDB 1-64)  in regions 2-65",
        "  Regions 2-65  level 2 (1 active), 1 thread each, serialized: main at heat.c:11",
        "    0  (GDB 1-64)  working: work at heat.c:6",
    ]
    assert len(list(tree(snapshot, fold=False))) == 1 + 64 * 3


def test_few_regions_are_not_folded() -> None:
    assert list(tree(serialized_snapshot(2))) == [
        "Region 1  level 1, 2 threads: main at heat.c:11, begun by GDB thread 1",
        "  0  (GDB 1)  in region 2",
        "  Region 2  level 2 (1 active), 1 thread, serialized: main at heat.c:11",
        "    0  (GDB 1)  working: work at heat.c:6",
        "  1  (GDB 2)  in region 3",
        "  Region 3  level 2 (1 active), 1 thread, serialized: main at heat.c:11",
        "    0  (GDB 2)  working: work at heat.c:6",
    ]


def test_a_region_that_differs_from_its_siblings_stands_alone() -> None:
    snapshot = serialized_snapshot(3)
    threads = (snapshot.threads[0], at_barrier(2, 3), snapshot.threads[2])
    lines = list(tree(snapshot._replace(threads=threads), fold=True))
    assert lines[1] == "  0,2  (GDB 1,3)  in regions 2,4"
    assert lines[4:6] == [
        "  1    (GDB 2)    in region 3",
        "  Region 3  level 2 (1 active), 1 thread, serialized: main at heat.c:11",
    ]


def test_threads_in_no_region_are_grouped_too() -> None:
    idle = tuple(Thread(1, n, 100 + n, kind=ThreadKind.WORKER, idle=True) for n in (6, 7, 8))
    assert list(tree(Snapshot((*TEAM, *idle), (OUTER,))))[4:] == ["In no region", "  GDB 6-8  idle"]


def test_two_inferiors_have_numbers_as_gdb_writes_them() -> None:
    other = thread(1, 2)._replace(inferior=2)
    snapshot = Snapshot((thread(1, 1), thread(2, 1), other), (region(1, 1, 2), region(2, 1)))
    assert list(tree(snapshot)) == [
        "Region 1  level 1, 2 threads: main at heat.c:11, begun by GDB thread 1.1",
        "  0-1  (GDB 1.1-2)  working: work at heat.c:6",
        "Region 2  level 1, 1 thread: main at heat.c:11",
        "  0  (GDB 2.1)  working: work at heat.c:6",
    ]


def test_a_very_deep_nest_is_shown_whole() -> None:
    depth = 3000
    regions = [
        region(n, 1, parent=n - 1 or None)._replace(level=n, serialized=True)
        for n in range(1, depth + 1)
    ]
    lines = list(tree(Snapshot((thread(1, depth),), tuple(regions))))
    assert len(lines) == 2 * depth
    assert lines[-1].endswith("0  (GDB 1)  working: work at heat.c:6")


def test_a_chain_of_parents_that_comes_back_to_itself_ends() -> None:
    one, two = region(1, 1)._replace(parent=2), region(2, 1, parent=1)
    snapshot = Snapshot((thread(1, 2),), (one, two))
    assert [
        line.split("  ")[0] for line in nest(snapshot, snapshot.threads[0]) if "Reg" in line
    ] == [
        "Region 2",
        "Region 1",
    ]


def test_a_long_name_is_shortened_only_to_a_given_width() -> None:
    name = "grid<double, 3>::relax(std::vector<double, std::allocator<double> >&)::lambda"
    snapshot = Snapshot(TEAM, (OUTER._replace(function=name),))
    assert name in list(tree(snapshot))[0]
    assert list(tree(snapshot, Style(width=80)))[0].split("\n") == [
        "Region 1  level 1, 4 threads: grid<...>::relax(...)::lambda at heat.c:11, begun",
        "    by GDB thread 1",
    ]


def test_regions_around_a_target_region_of_the_host_are_not_denied() -> None:
    """GCC's runtime keeps no record of them meanwhile."""
    place = TargetConstruct(TargetKind.REGION, True, on_host=True, file="heat.c", line=5)
    inside = thread(2, None, "work_serial")._replace(target=place)
    doing = "working (serial), in target at heat.c:5 (the host): work at heat.c:6"
    assert list(tree(Snapshot((thread(1, None, "work_serial"), inside), ()))) == [
        "No parallel region is known.",
        "In no region",
        "  GDB 1  working (serial): work at heat.c:6",
        "In no region of a target region",
        f"  GDB 2  {doing}",
    ]
    assert list(nest(Snapshot((inside,), ()), inside)) == [
        f"GDB thread 2 is in no parallel region of its target region: {doing}"
    ]
