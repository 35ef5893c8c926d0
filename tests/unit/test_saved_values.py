# SPDX-License-Identifier: Apache-2.0
"""Saved stops without gdb: what is written is read, and nothing of a file is believed."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gdb_ompd.errors import BadFile, NotInitialized, OmpdToolError
from gdb_ompd.explain.facts import At, Crash, Facts, Held, LockWord, Overflow
from gdb_ompd.explain.needs import needs_of, takers_of
from gdb_ompd.explain.report import Group, Lock, Report, Step, Team, Verdict
from gdb_ompd.explain.verdict import explain
from gdb_ompd.host import files
from gdb_ompd.model import (
    ControlVariable,
    Doubt,
    Icv,
    IcvOwner,
    Location,
    Membership,
    Region,
    Scope,
    Snapshot,
    Status,
    Task,
    TaskFrames,
    TaskKind,
    Thread,
    ThreadKind,
    WaitingTask,
    WaitingTasks,
    WaitsFor,
    Whereabouts,
)
from gdb_ompd.model.cpus import CpusOfThread, Places
from gdb_ompd.model.devices import Device, Devices, Mapped
from gdb_ompd.model.teams import SizeRule, TeamSize
from gdb_ompd.model.waits import Kind, SystemCall, Wait
from gdb_ompd.model.stacks import Boundary, Construct, Segment, Stack, StackFrame
from gdb_ompd.explain.job import Folding
from gdb_ompd.render import json_document, parallel, stacks
from gdb_ompd.render.status import icvs_lines as icvs_lines, status_lines as status_lines
from gdb_ompd.render.facts import lines as facts_lines
from gdb_ompd.render.job import lines as job_lines
from gdb_ompd.render.page import html
from gdb_ompd.render.stacks import lines as stacks_lines
from gdb_ompd.render.style import Style
from gdb_ompd.render.tasks import lines as tasks_lines, waiting_lines as waiting_lines
from gdb_ompd.render.threads import lines as threads_lines
from gdb_ompd.render.why import lines as why_lines
from gdb_ompd.saved import SavedStop, document, facts, load
from gdb_ompd.saved.document import Circumstances, Rank, rank_in
from gdb_ompd.saved.job import process
from gdb_ompd.saved.taking import taken, whole
from gdb_ompd.stacks.facts import StackFacts
from gdb_ompd.stacks.logical import logical_stack
from gdb_ompd.stacks.merge import trees

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.saved_schema import schema  # noqa: E402

HERE = Location("work\x1b[2J", "/src/</script>.c", 12, 0x401000)
WAIT = WaitsFor("critical", 0x7FFF_FFFF_FFFF_0000, "gate\udc80")
REGION = Region(1, 77, None, 1, 1, 2, False, "main", "/src/a.c", 9, (1, 2))
THREADS = (
    Thread(
        1,
        1,
        100,
        2**63 + 5,
        ThreadKind.INITIAL,
        False,
        True,
        0,
        2,
        1,
        1,
        (Membership(0, 2), Membership(0, 1)),
        1,
        False,
        "work_parallel",
        None,
        TaskKind.IMPLICIT,
        HERE,
    ),
    Thread(
        1,
        2,
        101,
        kind=ThreadKind.WORKER,
        region=1,
        state="wait_critical",
        waits_for=WAIT,
        location=HERE,
        doubts=(Doubt("level", None, "ompd_get", 3),),
    ),
)
FRAME = StackFrame(0, "work", "/src/a.c", 12, 0x401000, outlined=True, arguments=(("x", "1"),))
BODY = Segment((FRAME,), Boundary(Construct.REGION, (), HERE))
TASK = Task(
    1, 0, 5, TaskKind.IMPLICIT, "main", "/src/a.c", 9, False, TaskFrames(None, 1), 1, None, True
)
REPORT = Report(
    Verdict.DEADLOCK,
    "deadlock: two",
    (Team(REGION, (Group((1, 2), (0, 1), "critical", "gate", 5, None, HERE, False),), (), HERE),),
    (Lock("critical", 5, "gate", (2,), (1,), "inferred", True),),
    ((Step(1, "critical", HERE, (2,)),),),
    waiting_tasks=(("queued", 3),),
    detached=(None, HERE),
)
PLACES = Places(
    (CpusOfThread(1, 77, 0, 2, (0, 1), 1, 0, 0, 0, "t", 12345, None, 3, 4),),
    (("OMP_PLACES", "cores"),),
    150,
)
DEVICES = Devices(
    (
        Device(0, "a.so", "b.so", "x86_64", (), (Mapped("a", 1, 2, 3, None),)),
        Device(1, "a.so", mapped=None, why_unknown="it is being changed"),
    ),
    *(0, 2, (), None, ("unknown",)),
)
SIZE = TeamSize(1, SizeRule.THREAD_LIMIT, True, True, 2, 4, 4, 2, "4")
QUEUED = (WaitingTask(9, Whereabouts.QUEUED, "f", "a.c", 3),)
FACTS = Facts(
    (
        At(
            1,
            Wait(Kind.LOCK, 8, "left", "omp_set_lock", HERE),
            held=(Held("lock", 9, "right", HERE, True),),
        ),
        At(2, Wait(Kind.LOCK, 9, "right", "omp_set_lock", HERE), blocked=True, come=None),
        At(3, Wait(Kind.DOACROSS, sink=7), iteration=(0, 2), left=frozenset({2, 1}), region=1),
        At(4, Wait(outside="read"), call=SystemCall(function="read", joins=2), is_omp=False),
        At(5, Wait(Kind.TASKWAIT), tasks=(5, 4), children=2, tasks_of_group=1, groups=(6,)),
        At(6, Wait(Kind.TASKGROUP), come=frozenset({"team"}), busy=True, region=1),
    ),
    (REGION,),
    (
        (8, LockWord(True, 2, frozenset({1, 5}), keeps_owner=True, depth=1)),
        (9, LockWord(True, None, keeps_owner=False)),
    ),
    notes=("a note",),
    overflows=(Overflow(4, 8192, False, True),),
    waiting_tasks=QUEUED,
    crashes=(Crash(4, "SIGSEGV", 16, "heap damaged"),),
)


class Answers:
    """A stop made by hand."""

    inferior, prefix, qualified, selected, numbers = 1, "", False, 1, (1, 2)
    said_once = ("said",)

    def status(self) -> Status:
        return Status((), (("ompd cache", "on"),), ("a note",))

    def everyone(self, locations: bool) -> Snapshot:
        return Snapshot(self.threads(locations), (), ("listed",))

    def snapshot(self, locations: bool = True) -> Snapshot:
        return Snapshot(self.threads(locations), (REGION,), ("said",))

    def threads(self, locations: bool = True) -> tuple[Thread, ...]:
        if locations:
            return THREADS
        bare = [thread._replace(location=None) for thread in THREADS]
        return (bare[0], bare[1]._replace(state="work_parallel", waits_for=None))

    def tasks(self, gdb_nums: Any) -> tuple[Task, ...]:
        if 2 in gdb_nums:
            raise OmpdToolError("thread 2 cannot be read")
        return (TASK,)

    def team_sizes(self, snapshot: Snapshot, region_ids: Any) -> tuple[TeamSize, ...]:
        return tuple(size for size in (SIZE,) if size.region in region_ids)

    def cpus(self) -> Places:
        return PLACES

    def devices(self) -> Devices:
        return DEVICES

    def begins_none(self) -> str:
        return "heat"

    def waiting_tasks(self) -> WaitingTasks:
        return WaitingTasks(QUEUED, ("one",))

    def implicit_tasks(self, region: int) -> tuple[Task, ...]:
        return (TASK,)

    def icvs(self, gdb_nums: Any, regions: Any) -> tuple[Icv, ...]:
        found = [Icv("num-procs-var", Scope.ADDRESS_SPACE, None, 2, "2", "libompd")]
        for number in gdb_nums:
            found.append(Icv("dyn-var", Scope.TASK, IcvOwner(number), 0, "false", "runtime"))
        return tuple(found)

    def control_variables(self) -> tuple[ControlVariable, ...]:
        raise NotInitialized("the runtime has not started")

    def facts(self) -> Facts:
        return FACTS

    def report(self) -> Report:
        return explain(FACTS)

    def stacks(self, gdb_nums: Any, arguments: bool = False) -> dict[int, Stack]:
        return {n: Stack(n, (), (BODY, Segment((FRAME,), None))) for n in gdb_nums}

    def ran(self) -> dict[int, int]:
        return {1: 3}

    def not_told(self, notes: Any) -> tuple[str, ...]:
        return tuple(notes)


WHEN = Circumstances(
    1_700_000_000_000, "node", "/bin/x", 7, Rank(3, 4, "PMI_RANK"), "GDB", "0", "1.0.7"
)


def written() -> Any:
    return json.loads(document.text(taken(Answers(), WHEN)))


def read(value: Any) -> document.Members:
    return document.Members(json.dumps(value))


def answers(stop: Any) -> list[Any]:
    """Everything that a stop can be asked."""
    found = [stop.inferior, stop.prefix, stop.qualified, stop.selected, tuple(stop.numbers)]
    for ask in (
        stop.status,
        lambda: stop.everyone(True),
        lambda: stop.everyone(False),
        stop.snapshot,
        lambda: stop.snapshot(False),
        lambda: stop.tasks([1]),
        lambda: stop.tasks([2]),
        lambda: stop.tasks([1, 2]),
        stop.waiting_tasks,
        lambda: stop.icvs([1, 2], [1]),
        lambda: stop.icvs([2], []),
        stop.control_variables,
        stop.cpus,
        stop.devices,
        lambda: stop.team_sizes(stop.snapshot(), [1, 2]),
        stop.facts,
        stop.report,
        lambda: stop.stacks([1, 2]),
        stop.ran,
        lambda: trees(StackFacts(stop)),
    ):
        try:
            found.append(ask())
        except OmpdToolError as error:
            found.append((type(error), str(error)))
    return found


def test_a_saved_stop_answers_as_the_live_one_did() -> None:
    assert answers(SavedStop(read(written()))) == answers(Answers())


def test_a_text_is_read_member_by_member_as_it_is_as_a_whole() -> None:
    text = document.text(taken(Answers(), WHEN))
    assert answers(SavedStop(document.Members(text))) == answers(Answers())
    other = json.dumps(json.loads(text), indent=0)
    assert answers(SavedStop(document.Members(other))) == answers(Answers())
    for at in range(0, len(text) - 1, 61):
        for damaged in (text[:at] + "\n", text[:at] + "}}\n", text[:at] + " 1 " + text[at:]):
            with contextlib.suppress(OmpdToolError):
                answers(SavedStop(document.Members(damaged)))
    with pytest.raises(BadFile, match="not JSON"):
        SavedStop(document.Members(text.replace('"inferior": 1,', '"inferior": 1 2,')))


def test_saving_a_saved_stop_changes_nothing() -> None:
    stop = SavedStop(read(written()))
    assert json.loads(document.text(taken(stop, stop.circumstances))) == written()


def test_a_file_of_before_its_facts_were_kept_has_the_report_of_then() -> None:
    old = written()
    del old["facts"]
    old["report"] = json.loads(
        document.text(taken(Answers(), WHEN)._replace(facts=None, report=REPORT))
    )["report"]
    stop = SavedStop(read(old))
    assert (stop.facts(), stop.report().text) == (None, REPORT.text)


def test_a_verdict_is_concluded_anew() -> None:
    changed = written()
    changed["report"]["text"] = "deadlock: as an older version had it"
    stop = SavedStop(read(changed))
    assert stop.report() == explain(FACTS)
    assert stop.brief().text == changed["report"]["text"]


def test_facts_alone_are_read_as_they_are_printed() -> None:
    printed = json_document.dump(facts.document(FACTS, explain(FACTS)))
    kept = facts.read(document.Members(printed))
    assert kept == facts.Kept(FACTS, explain(FACTS).verdict, explain(FACTS).text)


def test_the_schema_in_the_repository_is_that_of_the_declarations() -> None:
    path = Path(__file__).resolve().parents[2] / "docs" / "saved-stop.schema.json"
    assert json.loads(path.read_text("utf-8")) == schema()


def test_it_is_read_without_gdb(tmp_path: Path) -> None:
    path = tmp_path / "stop.json"
    files.replace(str(path), json.dumps(written()))
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "from gdb_ompd import saved; import sys;"
            "print(saved.load(sys.argv[1]).report().text, 'gdb' in sys.modules)",
            str(path),
        ],
        env={**os.environ, "PYTHONPATH": str(Path(files.__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said == f"{explain(FACTS).text} False\n"


def shown(stop: Any) -> list[str]:
    """All that is shown of a stop, as lines."""
    style = Style(**{role: lambda text: text for role in Style._fields if role != "width"})
    facts = StackFacts(stop)
    prefix, snapshot = stop.prefix, stop.snapshot()
    thread = facts.thread(1)
    found: list[Any] = [
        threads_lines(snapshot, style, max_width=60),
        threads_lines(snapshot, style, fold=True),
        parallel.tree(snapshot, style._replace(width=60)),
        tasks_lines(stop.tasks([1]), style, prefix=prefix),
        waiting_lines(stop.waiting_tasks(), style, prefix=prefix),
        icvs_lines(stop.icvs([1, 2], [1]), style, prefix=prefix),
        why_lines(stop.report(), style._replace(width=60)),
        status_lines(stop.status(), style),
        stacks.tree_lines(trees(facts), style, prefix=prefix, selected=stop.selected),
        stacks_lines(logical_stack(facts, 1), thread, style, full=True, prefix=prefix),
        [json_document.dump(json_document.why(stop.report()))],
        [json_document.dump(json_document.threads(snapshot))],
        [json_stacks_dump(facts)],
        job_lines(_job(stop)),
    ]
    known = stop.facts()
    if known is not None:
        found.append(facts_lines(known, needs_of(known), takers_of(known)[0]))
    if thread is not None:
        found.append(parallel.nest(snapshot, thread, style))
    return [line for lines in found for line in lines]


def json_stacks_dump(facts: Any) -> str:
    return json_document.dump(json_document.trees(trees(facts), ()))


def _job(stop: Any) -> Any:
    folding = Folding()
    folding.add(process(stop, "name"))
    return folding.job()


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in parts:
        yield from places(part, (*path, key))


@pytest.mark.parametrize("wrong", [None, -1, 2**70, "\x1b[2J", [], {}, [[]], True, 1.5], ids=repr)
def test_a_damaged_file_is_an_error_or_an_answer(wrong: Any) -> None:
    """Each value of the document in turn is another one."""
    good, refused, count = written(), 0, 0
    for path in list(places(good))[1:]:
        damaged = copy.deepcopy(good)
        around: Any = damaged
        for key in path[:-1]:
            around = around[key]
        around[path[-1]] = wrong
        count += 1
        try:
            answers(SavedStop(read(damaged)))
            lines = shown(SavedStop(read(damaged)))
            assert all(line.replace("\n", "").isprintable() for line in lines), path
            html(whole(SavedStop(read(damaged)), WHEN))
        except OmpdToolError as error:
            assert str(error).isprintable()
            refused += 1
    assert count > 100 and refused > 3


def test_sentences_of_a_file_reach_no_terminal_unescaped() -> None:
    damaged = written()
    damaged["notes"] = ["\x1b]0;owned\x07"]
    assert SavedStop(read(damaged)).snapshot().notes == ("\\x1b]0;owned\\x07",)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"what": "saved stop of gdb-ompd", "schema": 9}', "schema is not 1"),
        (b'{"what": "saved stop of gdb-ompd", "schema": 1}', "circumstances"),
        (b"{}", "no saved stop"),
        (b"\xff\xfe", "not JSON"),
    ],
)
def test_what_is_none_of_ours_is_one_line(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "stop.json"
    path.write_bytes(content)
    with pytest.raises(BadFile, match=why) as caught:
        load(str(path))
    assert str(caught.value).startswith(f"{path}: ") and str(caught.value).isprintable()


def test_a_fifo_and_a_folder_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", tmp_path, tmp_path / "none"):
        with pytest.raises(BadFile):
            load(str(path))
    with pytest.raises(OmpdToolError):
        files.replace(str(tmp_path / "fifo"), "")


def test_a_file_is_replaced_as_a_whole_with_the_users_mode(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "link").symlink_to("old")
    before = os.umask(0o027)
    try:
        files.replace(str(tmp_path / "link"), "new")
    finally:
        os.umask(before)
    assert (tmp_path / "old").read_text() == "new" and (tmp_path / "link").is_symlink()
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "old"]


def test_the_rank_is_the_launchers() -> None:
    both = {"SLURM_PROCID": "0", "OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}
    assert rank_in(both) == Rank(3, 4, "OMPI_COMM_WORLD_RANK")
    assert rank_in({"PMIX_RANK": "12"}) == Rank(12, None, "PMIX_RANK")
    assert rank_in({"PMI_RANK": "-1", "SLURM_PROCID": "x"}) is None
