# SPDX-License-Identifier: Apache-2.0
"""The model made of what a native reader tells: rows of plain values, each in one pass; and what a
provider tells of threads, regions and tasks, before the stacks complete it.

The rows are described with ``RuntimeReader`` in ``_native.pyi``. A reader numbers its regions
from 1: FIRST is what is added where other runtimes have some.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Sequence, Union

from .. import _native
from ..host.protocols import NativeThread
from ..model import (
    LIBRARY,
    ControlVariable,
    Creator,
    Doubt,
    Icv,
    IcvOwner,
    Membership,
    Region,
    Scope,
    Task,
    TaskFrames,
    TaskKind,
    Thread,
    ThreadKind,
    UNAVAILABLE,
    WaitingTask,
    WaitsFor,
    Whereabouts,
)

BOOLEANS = frozenset(
    {
        "dyn-var",
        "cancel-var",
        "display-affinity-var",
        "final-task-var",
        "implicit-task-var",
    }
)
SWITCHES = frozenset({"debug-var", "tool-var"})
# omp_proc_bind_t (OpenMP 5.0, section 3.2.23) and LLVM's own kmp_proc_bind_t.
BIND_WORDS = {0: "false", 1: "true", 2: "primary", 3: "close", 4: "spread", 5: "intel"}
NUMBERS = re.compile(r"-?\d+(,-?\d+)*")
THREAD_KINDS = {kind.value: kind for kind in ThreadKind}
TASK_KINDS = {kind.value: kind for kind in TaskKind}
SCOPES = {
    _native.SCOPE_GLOBAL: Scope.GLOBAL,
    _native.SCOPE_ADDRESS_SPACE: Scope.ADDRESS_SPACE,
    _native.SCOPE_THREAD: Scope.THREAD,
    _native.SCOPE_PARALLEL: Scope.PARALLEL,
    _native.SCOPE_IMPLICIT_TASK: Scope.IMPLICIT_TASK,
    _native.SCOPE_TASK: Scope.TASK,
}
# GCC's function that executes children of the task which calls it, and no other tasks.
TASKWAIT = "GOMP_taskwait"
# What a runtime need not record: most of it stacks tell.
NOT_RECORDED = frozenset({"state", "frames", "scheduling"})
# OMPT's states of waiting. LLVM sets one state for locks, critical sections, atomics and
# reductions.
WAIT_KINDS = {
    "wait_taskwait": "taskwait",
    "wait_taskgroup": "taskgroup",
    "wait_mutex": "mutex",
    "wait_lock": "mutex",
    "wait_critical": "critical",
    "wait_atomic": "atomic",
    "wait_ordered": "ordered",
}
WITH_ADDRESS = frozenset({"mutex", "critical", "atomic", "ordered"})


class Construct(NamedTuple):
    """Where a region's or task's construct is, as far as the runtime knows."""

    caller: Optional[int] = None  # the return address of the encountering code's call
    function: Optional[int] = None  # the outlined one
    primary: Optional[int] = None  # the GDB number of the region's primary thread


class View(NamedTuple):
    """Threads and regions at one stop, before the stacks have been looked at."""

    threads: tuple[Thread, ...]
    regions: tuple[Region, ...]
    constructs: dict[int, Construct]  # by region id
    notes: tuple[str, ...] = ()


class TaskView(NamedTuple):
    """One task, its outlined function, the region it belongs to, and its construct's file
    and line where the compiler says it."""

    task: Task
    function: Optional[int]
    region: Optional[int]
    construct: Optional[tuple[str, int]] = None


def has_no_function(view: TaskView) -> bool:
    """Tell whether the runtime does not keep an explicit task's function."""
    return view.task.kind is TaskKind.EXPLICIT and view.function is None


class WaitingView(NamedTuple):
    """A task that no thread executes, its function and its construct's file and line where
    the compiler says it, with those of its creator: of an implicit one the region."""

    task: WaitingTask
    function: Optional[int]
    creator_function: Optional[int] = None
    creator_region: Optional[int] = None
    construct: Optional[tuple[str, int]] = None
    creator_construct: Optional[tuple[str, int]] = None


class WaitingViews(NamedTuple):
    """What a runtime knows of tasks that no thread executes; see WaitingTasks."""

    tasks: tuple[WaitingView, ...] = ()
    notes: tuple[str, ...] = ()
    known: bool = True


class Place(NamedTuple):
    """Where a thread executes now: what ``omp_get_...`` would return there."""

    thread_num: int
    team_size: int
    level: int
    active_level: int


def value_in_words(name: str, number: Optional[int], text: Optional[str]) -> str:
    """Write an ICV's value, of which the library gives a NUMBER, a TEXT, or both for a list
    of numbers by nesting level."""
    if name == "run-sched-var" and text is not None:
        return text.removesuffix(",0")  # LLVM's word for a schedule without a chunk
    if text is None:
        return "" if number is None else number_in_words(name, number)
    if number is None or NUMBERS.fullmatch(text) is None:
        return text
    return ",".join(number_in_words(name, int(part)) for part in text.split(","))


def number_in_words(name: str, value: int) -> str:
    """Write the number that is the value of the ICV called NAME."""
    if name in BOOLEANS:
        return "true" if value else "false"
    if name in SWITCHES:
        return "enabled" if value else "disabled"
    if name == "bind-var":
        return BIND_WORDS.get(value, f"{value} (unknown)")
    if name == "stacksize-var":
        return _size(value)
    return str(value)


def _size(value: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= unit and value % unit == 0:
            return f"{value // unit} {name}"
    return f"{value} bytes"


def waits_for(state: Optional[str], wait_id: Optional[int]) -> Optional[WaitsFor]:
    """Say what a thread in STATE waits for, as far as its state tells."""
    if state is None:
        return None
    if state.startswith("wait_barrier"):
        return WaitsFor("barrier")
    kind = WAIT_KINDS.get(state)
    if kind is None:
        return None
    return WaitsFor(kind, wait_id or None if kind in WITH_ADDRESS else None)


def threads(natives: Sequence[NativeThread], rows: Sequence[Any], first: int) -> tuple[Thread, ...]:
    """Return the threads that these rows tell of, one for each of NATIVES."""
    return _native.threads_like(natives, rows, partial(_thread_like, first), Membership, _OWN)


# Where a thread has what it does not share with those of which the same is told.
_OWN = tuple(map(Thread._fields.index, ("running", "thread_num", "memberships")))


def _thread_like(first: int, others: Any) -> Thread:
    """Return a thread with all that it shares with those of which the same is told: of its
    memberships those around the innermost."""
    (
        word,
        idle,
        team_size,
        level,
        active,
        outside,
        region,
        state,
        wait_id,
        task,
        error,
        rows,
    ) = others
    state = "idle" if idle else state
    return Thread(
        0,
        0,
        0,
        kind=THREAD_KINDS.get(word),
        team_size=team_size,
        level=level,
        active_level=active,
        memberships=tuple(Membership(*each) for each in outside),
        region=_plus(region, first),
        idle=idle,
        state=state,
        waits_for=waits_for(state, wait_id),
        task=TASK_KINDS.get(task),
        error=error,
        doubts=_doubts(rows),
    )


def regions(rows: Iterable[Any], first: int) -> tuple[tuple[Region, ...], dict[int, Construct]]:
    """Return the regions, and by their numbers where their constructs are."""
    found: list[Region] = []
    constructs: dict[int, Construct] = {}
    for number, row in enumerate(rows, first + 1):
        identity, parent, level, active_level, team_size, members, *construct, doubts = row
        found.append(
            Region(
                id=number,
                parallel_id=identity,
                parent=_plus(parent, first),
                level=level,
                active_level=active_level,
                team_size=team_size,
                serialized=team_size == 1,
                function=None,
                file=None,
                line=None,
                threads=members,
                doubts=_doubts(doubts),
            )
        )
        caller, function, primary = construct
        constructs[number] = Construct(caller or None, function or None, primary)
    return tuple(found), constructs


def task(row: Any, first: int) -> TaskView:
    """Return one task of a chain."""
    gdb_num, depth, identity, kind, final, enter, leave, function, region = row[:9]
    generating, scheduling, doubts = row[9:]
    ids = gdb_num, depth, identity, TASK_KINDS.get(kind)
    others = _depth(generating), _depth(scheduling), depth == 0, _doubts(doubts)
    frames = TaskFrames(enter or None, leave or None)
    # In half of the time that the fields take by their names: "ompd why" asks of every thread.
    made = tuple.__new__(Task, (*ids, None, None, None, final, frames, *others, None))
    return TaskView(made, function or None, None if kind == "initial" else _plus(region, first))


def waiting_views(
    found: Optional[tuple[Sequence[Any], Sequence[str]]], why: str, first: int
) -> WaitingViews:
    """Return the tasks that no thread executes and were FOUND, or WHY they are not known."""
    if found is None:
        return WaitingViews((), (why,), False)
    return WaitingViews(tuple(_waiting_task(row, first) for row in found[0]), tuple(found[1]))


def _waiting_task(row: Any, first: int) -> WaitingView:
    identity, where, function, final, queue, creator, by, of, number, region, generated_by = row[
        :11
    ]
    tied, *constructs = row[11:] or (None, None, None)
    made = WaitingTask(
        task_id=identity,
        where=Whereabouts(where),
        final=final,
        queue=queue,
        creator=None if creator is None else Creator(TASK_KINDS[creator], thread_num=number),
        region=_plus(region, first),
        generated_by=generated_by or None,
        tied=tied,
    )
    return WaitingView(made, function or None, by or None, _plus(of, first), *constructs)


def icv(row: Any, first: int) -> Icv:
    """Return one ICV; of one without a value the text says why."""
    name, scope, gdb_num, region, number, text, rows = row
    region = _plus(region, first)
    owner = None if gdb_num is None and region is None else IcvOwner(gdb_num, region)
    doubts = _doubts(rows)
    source = next((each.source for each in doubts if each.source), LIBRARY)
    value: Union[int, str, None] = text if number is None else number
    # A text in place of a number is a whole answer; a number alone may be a list's first.
    failed = [each for each in doubts if each.failed and (text is None or each.fact == "text")]
    why = "; ".join(map(_why, failed))
    if value is None:
        words = f"not available ({why})" if why else "not available"
        return Icv(name, SCOPES[scope], owner, None, words, source)
    words = value_in_words(name, number, text)
    return Icv(name, SCOPES[scope], owner, value, f"{words} ({why})" if why else words, source)


def control_variables(rows: Iterable[Any]) -> list[ControlVariable]:
    """Return the control variables."""
    return [ControlVariable(name, value, source or LIBRARY) for name, value, source in rows]


def notes(what: str, told: Iterable[tuple[Doubt, ...]]) -> Iterator[str]:
    """Say once of each function that failed for some WHAT which facts that leaves unknown."""
    failures: dict[tuple[str, int], tuple[dict[str, None], int]] = {}
    for every in told:
        doubts = [
            each for each in every if each.code != UNAVAILABLE or each.fact not in NOT_RECORDED
        ]
        for failed, code in {(each.failed, each.code) for each in doubts if each.failed}:
            facts, count = failures.get((failed, code), ({}, 0))
            facts.update({each.fact: None for each in doubts if each.failed == failed})
            failures[failed, code] = facts, count + 1
    for (failed, code), (facts, count) in failures.items():
        listed = ", ".join(fact.replace("_", " ") for fact in facts)
        why = _why(Doubt("", None, failed, code))
        yield f"Not known of {count} {what}{'' if count == 1 else 's'}: {listed} ({why})."


def _why(doubt: Doubt) -> str:
    return f"{doubt.failed}: {_native.error_string(doubt.code)}"


def _doubts(rows: Optional[Iterable[Any]]) -> tuple[Doubt, ...]:
    return tuple(Doubt(*row) for row in rows) if rows else ()


def _plus(region: Optional[int], first: int) -> Optional[int]:
    return region + first if region else None


def _depth(depth: Optional[int]) -> Optional[int]:
    return None if depth is None or depth < 0 else depth
