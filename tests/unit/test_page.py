# SPDX-License-Identifier: Apache-2.0
"""The page and its pictures say what the values do, and nothing of the program is markup."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from gdb_ompd.explain.report import Group, Lock, Report, Step, Team, Verdict
from gdb_ompd.explain.moved import Whole, compare
from gdb_ompd.explain.wait_graph import wait_graph
from gdb_ompd.model import Location
from gdb_ompd.render import page
from gdb_ompd.saved import taking

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.html import read  # noqa: E402
from support.made_stops import MadeStop, circumstances  # noqa: E402
from support.made_waits import reports  # noqa: E402

EVIL = "</script><img src=x onerror=alert(1)>\"'&\x1b[2J"


def whole_of(stop: MadeStop) -> Whole:
    return taking.whole(stop, circumstances(3, 4))


def test_the_page_says_what_the_values_do() -> None:
    whole = whole_of(MadeStop(8, 3, "MPI_Recv"))
    reader = read(page.html(whole))
    threads, tasks = reader.tables[0], reader.tables[1]
    assert [row[0] for row in threads] == [str(n) for n in range(1, 9)]
    assert [row[1] for row in threads] == [str(t.lwp) for t in whole.snapshot.threads]
    assert threads[3][6:] == ["working", "implicit", "exchange at exchange.c:40"]
    assert {row[8] for row in threads} == {"step at heat.c:52", "exchange at exchange.c:40"}
    assert len(tasks) == 16
    assert "Waiting for thread 3 (GDB thread 4) at exchange.c:40." in reader.texts
    assert "3 of 4 (OMPI_COMM_WORLD_RANK)" in reader.texts


def test_sentences_are_no_lines_of_a_listing() -> None:
    whole = whole_of(MadeStop(8, 3, "MPI_Recv"))
    assert whole.report is not None
    remark = "GDB thread 1 has used 92 % of the processor time: the others have no work."
    shown = page.html(whole._replace(report=whole.report._replace(notes=(remark,))))
    assert f"<li>{remark}</li>" in shown and shown.count(remark) == 1


def test_a_page_needs_nothing_else() -> None:
    text = page.html(whole_of(MadeStop(4)))
    tags = read(text).tags
    assert not {"img", "link", "iframe", "object", "base"} & {tag for tag, _ in tags}
    names = {name for _, attributes in tags for name in attributes}
    assert not {"src", "srcset", "action", "style"} & names
    assert not any(name.startswith("on") for name in names)
    links = [attributes["href"] or "" for tag, attributes in tags if tag == "a"]
    ids = [attributes.get("id") for _, attributes in tags]
    assert links and all(link.startswith("#") and link[1:] in ids for link in links)
    assert "http:" not in text.replace("http://www.w3.org/2000/svg", "") and "url(http" not in text


def test_names_of_the_program_are_no_markup() -> None:
    stop = MadeStop(4, 2, EVIL)
    stop.region = stop.region._replace(function=EVIL, file=EVIL)
    whole = whole_of(stop)
    text = page.html(whole)
    assert text.count("<script>") == text.count("</script>") == 1
    assert "<img" not in text and "\x1b" not in text
    reader = read(text)
    assert any(EVIL[:20] in words for words in reader.texts)
    for name in page.SVG:
        root = ElementTree.fromstring(page.picture(whole, name))
        assert root.tag.endswith("svg")
    for name in page.DOT:
        assert page.dot(whole, name).count("\n}") == 1


def test_the_graph_has_the_cycle_and_who_waits_for_it() -> None:
    here = Location("f", "/a.c", 3, 1)
    groups = (
        Group((1,), (0,), "lock", "a", 5, None, here, False),
        Group((2,), (1,), "lock", "b", 6, None, here, False),
        Group((3, 4), (2, 3), "explicit barrier", None, None, None, here, True),
    )
    locks = (
        Lock("lock", 5, "a", (1,), (2,), None, True),
        Lock("lock", 6, "b", (2,), (1,), None, True),
    )
    cycle = (Step(1, 'lock "a"', here, (2,)), Step(2, 'lock "b"', here, (1,)))
    report = Report(Verdict.DEADLOCK, "deadlock", (Team(None, groups),), locks, (cycle,))
    graph = wait_graph(report)
    assert [node.gdb_nums for node in graph.nodes] == [(1,), (2,), (3, 4)]
    ends = {(edge.waiter, edge.target, edge.cycle) for edge in graph.edges}
    assert ends == {(0, 1, True), (1, 0, True), (2, 0, False), (2, 1, False)}
    assert page.dot(whole_of(MadeStop(2))._replace(report=report), "waits").count("->") == 4


@pytest.mark.parametrize("count", [64, 1000])
def test_threads_that_wait_alike_are_one_node(count: int) -> None:
    made = {kind: wait_graph(report) for kind, report in reports(count).items()}
    half = count // 2
    sizes = {kind: [len(node.gdb_nums) for node in graph.nodes] for kind, graph in made.items()}
    assert sizes["gate"] == [1, half, half - 1] and sizes["late"] == [count - 1, 1]
    assert sizes["ring"] == [1] * 5 + [count - 9] + [1] * 4
    assert [node.teams for node in made["pairs"].nodes] == [half, half]
    assert made["pairs"].nodes[0].who.startswith(f"{half} threads of {half} teams: GDB 1,3,5,7")
    assert [(e.waiter, e.target, e.cycle, e.upward) for e in made["gate"].edges] == [
        (0, 1, True, False),
        (1, 0, True, False),
        (2, 1, False, True),
    ]
    assert [len(part.nodes) for part in made["places"].parts()] == [2]


def test_a_comparison_is_on_the_page() -> None:
    before, after = MadeStop(4), MadeStop(4, 2, "MPI_Recv")
    moments = [taking.moment(stop, circumstances()) for stop in (before, after)]
    moved = compare(
        moments[0], moments[1]._replace(identity="later", time=moments[0].time + 12_000)
    )
    reader = read(page.html(whole_of(after)._replace(comparison=moved)))
    assert moved.outcome.value == "goes on"
    assert any("It goes on: in 12 s 1 thread went on" in text for text in reader.texts)


@pytest.mark.parametrize("alike", [True, False])
def test_a_thousand_threads_are_less_than_two_million_bytes(alike: bool) -> None:
    stop = MadeStop(1000, 500, "MPI_Recv")
    if not alike:
        own = stop._thread

        def different(number: int) -> object:
            spot = Location(f"function_{number}", f"/src/{number}.c", number, number)
            return own(number)._replace(location=spot)

        setattr(stop, "_thread", different)
    assert len(page.html(whole_of(stop)).encode()) < 2_000_000
