# SPDX-License-Identifier: Apache-2.0
"""The lines of `ompd bt`, and how stacks are merged and continued."""

from __future__ import annotations

from typing import Optional

from gdb_ompd.stacks.logical import logical_stack
from gdb_ompd.stacks.merge import trees
from gdb_ompd.stacks.teams import LogicalFacts
from gdb_ompd.model import Region, Snapshot, Thread, ThreadKind, WaitsFor
from gdb_ompd.model.waits import Kind
from gdb_ompd.render import stacks
from gdb_ompd.render.style import Style
from gdb_ompd.model.stacks import (
    Boundary,
    Construct,
    Member,
    Node,
    Place,
    Segment,
    Stack,
    StackFrame,
    Tree,
)

REGION = Region(1, 100, None, 1, 1, 2, False, "main", "a.c", 10, (1, 2))


def frame(number: int, function: str, line: int, **facts: bool) -> StackFrame:
    return StackFrame(number, function, "a.c", line, 0x1000 + line, **facts)


RUNTIME = (frame(3, "__kmp_fork_call", 5, hidden=True),)
BODY = (frame(1, "work", 20), frame(2, "main", 11, outlined=True))
PRIMARY = Stack(
    1,
    (),
    (
        Segment(BODY, Boundary(Construct.REGION, RUNTIME)),
        Segment((frame(4, "main", 10),), None),
    ),
)
WORKER = Stack(2, (), (Segment(BODY, Boundary(Construct.REGION, RUNTIME, bottom=True)),))
AT_BARRIER = Stack(2, RUNTIME, ())


def facts(*all_stacks: Stack, region: Optional[int] = 1) -> LogicalFacts:
    """Return the team of two with these stacks."""
    threads = tuple(
        Thread(1, n, 10 + n, kind=ThreadKind.WORKER, level=1, region=region, state="wait_barrier")
        for n in (1, 2)
    )
    by_number = {stack.gdb_num: stack for stack in all_stacks}
    snapshot = Snapshot(threads, (REGION,))
    return LogicalFacts(snapshot, by_number.get, lambda _: (), lambda _: ())


def shown(given: LogicalFacts, gdb_num: int, full: bool = False) -> list[str]:
    return list(stacks.lines(logical_stack(given, gdb_num), given.thread(gdb_num), full=full))


def test_a_worker_goes_on_in_the_primary_thread() -> None:
    assert shown(facts(PRIMARY, WORKER), 2) == [
        "GDB thread 2",
        "#1  work () at a.c:20",
        "#2  main at a.c:11",
        "--  parallel region 1, level 1, thread 1 of 2: main at a.c:10; begun by GDB thread 1",
        "GDB 1 #4 main () at a.c:10",
    ]


def test_the_primary_thread_stays_on_its_own_stack() -> None:
    lines = shown(facts(PRIMARY, WORKER), 1)
    assert lines[3] == "--  parallel region 1, level 1, thread 0 of 2: main at a.c:10"
    assert lines[4] == "#4  main () at a.c:10"


def test_full_shows_the_runtimes_frames() -> None:
    assert "#3  __kmp_fork_call at a.c:5" in shown(facts(PRIMARY, WORKER), 1, full=True)
    assert not any("__kmp" in line for line in shown(facts(PRIMARY, WORKER), 1))


def test_a_thread_at_the_end_of_its_region_says_what_it_does() -> None:
    assert shown(facts(PRIMARY, AT_BARRIER), 2) == [
        "GDB thread 2",
        "    at barrier",
        "--  parallel region 1, level 1, thread 1 of 2: main at a.c:10; begun by GDB thread 1",
        "GDB 1 #4 main () at a.c:10",
    ]


def test_nothing_is_claimed_where_stack_and_runtime_differ() -> None:
    """A primary thread that is just leaving its region has no body on its stack."""
    leaving = Stack(1, (), (Segment((frame(0, "main", 12),), None),))
    assert shown(facts(leaving, WORKER), 2)[3:] == [
        "--  parallel region 1, level 1, thread 1 of 2: main at a.c:10",
        "(where GDB thread 1 began the region does not show in its stack)",
    ]
    assert shown(facts(leaving, WORKER), 1) == [
        "GDB thread 1",
        "#0  main () at a.c:12",
        "(0 of 1 regions show in the stack)",
    ]


def test_without_openmp_the_own_stack_is_shown() -> None:
    given = facts(WORKER)
    given.snapshot = None
    assert shown(given, 2)[3:] == [
        "--  parallel region",
        "(which thread began the region is not known)",
    ]


def test_common_frames_are_said_once() -> None:
    assert list(stacks.tree_lines(trees(facts(PRIMARY, WORKER)), selected=2)) == [
        "Region 1  level 1, 2 threads: main at a.c:10",
        "  0-1 (GDB 1-2)  main at a.c:11",
        "*                work at a.c:20",
    ]


def test_threads_are_named_where_they_part() -> None:
    assert list(stacks.tree_lines(trees(facts(PRIMARY, AT_BARRIER), only=1))) == [
        "Region 1  level 1, 2 threads: main at a.c:10",
        "  0 (GDB 1)  main at a.c:11",
        "             work at a.c:20",
        "  1 (GDB 2)  at barrier",
    ]


def test_regions_with_like_stacks_are_folded() -> None:
    """Each of 24 threads has begun a team of two; that of the last one differs."""
    many = range(1, 25)
    outer = Region(1, 100, None, 1, 1, 24, False, "main", "a.c", 10, tuple(many))
    inner = [
        Region(n + 1, 100 + n, 1, 2, 2, 2, False, "work", "a.c", 20, (n, n + 24)) for n in many
    ]
    members = tuple(Member(n, n - 1) for n in many)
    begun = [Node(Place(region=n + 1), (Member(n, n - 1),), 0) for n in many]
    found = [Tree(outer, (Node(Place("main", "a.c", 11), members, None), *begun))]
    for region in inner:
        first, second = (Member(gdb_num or 0, n) for n, gdb_num in enumerate(region.threads))
        place = Place("solve", "a.c", 31 if region is inner[-1] else 30)
        found.append(Tree(region, (Node(place, (first, second), None),), missing=(second,)))
    found += [Tree(None, (Node(Place("poll"), (Member(60),), None),), known=True)]
    found += [Tree(None, (Node(Place("sleep"), (Member(61),), None),), known=False)]
    assert list(stacks.tree_lines(found, selected=24)) == [
        "Region 1  level 1, 24 threads: main at a.c:10",
        "  0-23 (GDB 1-24)  main at a.c:11",
        "    0-22 (GDB 1-23)  in regions 2-24",
        "  * 23 (GDB 24)  in region 25",
        "Regions 2-24  level 2, 2 threads each: work at a.c:20",
        "  0-1 (GDB 1-23,25-47)  solve at a.c:30",
        "  no stack: GDB threads 25-47",
        "Region 25  level 2, 2 threads: work at a.c:20",
        "* 0-1 (GDB 24,48)  solve at a.c:31",
        "  no stack: GDB thread 48",
        "In no region",
        "  GDB 60  poll",
        "Region not known",
        "  GDB 61  sleep",
    ]


def test_nameless_frames_are_common_where_they_are_at_one_address() -> None:
    def unnamed(*pcs: int) -> tuple[StackFrame, ...]:
        return tuple(StackFrame(n, None, None, None, pc) for n, pc in enumerate(pcs))

    first = Segment(unnamed(0x10, 0x30), Boundary(Construct.REGION, RUNTIME))
    second = Segment(unnamed(0x20, 0x30), Boundary(Construct.REGION, RUNTIME, bottom=True))
    given = facts(Stack(1, (), (first, Segment(unnamed(0x40), None))), Stack(2, (), (second,)))
    assert list(stacks.tree_lines(trees(given, only=1))) == [
        "Region 1  level 1, 2 threads: main at a.c:10",
        "  0-1 (GDB 1-2)  0x30 in ??",
        "    0 (GDB 1)  0x10 in ??",
        "    1 (GDB 2)  0x20 in ??",
    ]


def test_every_thread_of_a_team_is_in_its_tree_or_said_why_not() -> None:
    leaving = Stack(1, (), (Segment((frame(0, "main", 12),), None),))
    assert list(stacks.tree_lines(trees(facts(leaving, WORKER), only=1))) == [
        "Region 1  level 1, 2 threads: main at a.c:10",
        "  1 (GDB 2)  main at a.c:11",
        "             work at a.c:20",
        "  stack and runtime do not agree ('ompd bt -all' shows them): GDB thread 1",
    ]
    assert list(stacks.tree_lines(trees(facts(PRIMARY), only=1)))[-1] == "  no stack: GDB thread 2"
    given = facts(PRIMARY, WORKER)
    given.snapshot = Snapshot((), (REGION,))
    (tree,) = trees(given)
    assert list(stacks.tree_lines([tree]))[1:] == ["  not known to GDB: OpenMP threads 0-1"]


def test_a_thread_that_has_not_begun_its_region_is_in_its_tree() -> None:
    """It may be in the system's code yet, from where its stack leads nowhere."""
    given = facts(PRIMARY, Stack(2, (), (Segment((frame(0, "clone3", 81),), None),), False))
    primary, worker = given.snapshot.threads
    worker = worker._replace(waits_for=WaitsFor(Kind.NOT_BEGUN))
    given.snapshot = given.snapshot._replace(threads=(primary, worker))
    assert list(stacks.tree_lines(trees(given)))[-1] == "  1 (GDB 2)  has not begun"


def test_a_deep_recursion_is_merged() -> None:
    deep = tuple(frame(n, "fib", 7) for n in range(5000))
    stack = Stack(1, (), (Segment(deep, None),))
    given = facts(stack, region=None)
    given.snapshot = Snapshot((Thread(1, 1, 11),), ())
    (tree,) = trees(given)
    assert len(tree.nodes) == 5000
    assert len(list(stacks.tree_lines([tree]))) == 5001


def test_a_thread_that_does_not_match_is_not_said_to_be_in_no_region() -> None:
    leaving = Stack(1, (), (Segment((frame(0, "main", 12),), None),))
    assert list(stacks.tree_lines(trees(facts(leaving, WORKER))))[-2:] == [
        "Region not known",
        "  GDB 1  main at a.c:12",
    ]


def test_no_line_is_wider_than_the_terminal() -> None:
    long = "a_namespace_with_a_name::container_of<std::vector<double> >::" + "update_" * 12
    body = (BODY[0]._replace(function=long), BODY[1])
    first = Segment(body, PRIMARY.segments[0].boundary)
    given = facts(PRIMARY._replace(segments=(first, PRIMARY.segments[1])), WORKER)
    for worker in (1, 2):
        stack = logical_stack(given, worker)
        narrow = list(stacks.lines(stack, given.thread(worker), Style(width=60)))
        whole = list(stacks.lines(stack, given.thread(worker)))
        assert max(map(len, narrow)) <= 60
        assert [line for line in whole if len(line) <= 60] == [n for n in narrow if n in whole]
    narrow = list(stacks.tree_lines(trees(given), Style(width=60)))
    assert max(map(len, narrow)) <= 60
    assert sum("a.c:20" in line for line in narrow) == 2
