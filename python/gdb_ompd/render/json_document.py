# SPDX-License-Identifier: Apache-2.0
"""The ``-json`` documents. Their keys are relied upon: add, never rename."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Optional, Sequence, Union

from ..explain.crash import settings as stack_settings
from ..explain.facts import Overflow
from ..explain.report import Group, Lock, Report, Team
from ..model import (
    ControlVariable,
    Doubt,
    Icv,
    IcvOwner,
    Membership,
    NO_FUNCTION,
    PLACE,
    Region,
    RuntimeStatus,
    Snapshot,
    Status,
    Task,
    TaskFrames,
    TaskKind,
    Thread,
    WaitingTask,
    WaitingTasks,
)
from ..model.teams import TeamSize
from .team_sizes import sentence_of
from .style import plain
from .words import state
from ..model.stacks import Construct, Frames, LogicalStack, Mark, Node, StackFrame, Tree

SCHEMA = 1

Document = dict[str, Any]

PLAIN = (int, str, bool, float, type(None))
# Fields that the documents do not have.
HIDDEN: dict[type, tuple[str, ...]] = {
    Thread: ("selected", "region", "idle", "league", "league_level"),
    Region: ("parallel_id",),
    RuntimeStatus: ("architecture",),
}
# The keys of a task, be it of a thread's chain or one that no thread executes.
OF_TASK = (
    *("gdb_num", "depth", "kind", *PLACE, "final", "frames"),
    *("generating", "scheduling", "running", "where", "queue", "creator"),
)


def dump(document: Document) -> str:
    """Write DOCUMENT as JSON, each item of a list of objects on its own line."""
    members = [f"{json.dumps(key)}: {_value(value)}" for key, value in document.items()]
    return "{" + ",\n ".join(members) + "}"


def _value(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n  " + ",\n  ".join(json.dumps(item) for item in value) + "\n ]"
    return json.dumps(value)


def of(value: Any) -> Any:
    """Return a value of the model as every document has it: a record by the names of its
    fields, its doubts last."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if isinstance(value, Enum):
        return value.value
    if kind in (tuple, list, Membership):
        return [of(each) for each in value]
    if kind in _OTHERWISE:
        return _OTHERWISE[kind](value)
    hidden = ("doubts", *HIDDEN.get(kind, ()))
    made = {name: of(getattr(value, name)) for name in kind._fields if name not in hidden}
    return {**made, **_doubts(value.doubts)} if "doubts" in kind._fields else made


def fields(value: Any, *names: str) -> Document:
    """Return these fields of a value as every document has them; all null where it is None."""
    return {name: of(getattr(value, name, None)) for name in names}


def place_of(spot: Any) -> Document:
    """Return where in the source something is, be it None."""
    return fields(spot, *PLACE)


def nothing(listed: str, why: str) -> Document:
    """Return the document of a command that has nothing to list, and WHY."""
    return {"schema": SCHEMA, listed: [], "notes": [why]}


def threads(snapshot: Snapshot) -> Document:
    """Return the document of ``ompd threads -json``."""
    listed = [{**of(one), "text": plain(state(one))} for one in snapshot.threads]
    return {"schema": SCHEMA, "threads": listed, "notes": list(snapshot.notes)}


def regions(snapshot: Snapshot, sizes: Sequence[TeamSize] = ()) -> Document:
    """Return the document of ``ompd parallel -json``, with why teams have their SIZES."""
    known = {size.region: size for size in sizes}
    listed = [{**of(one), "why": _size(known.get(one.id))} for one in snapshot.regions]
    return {"schema": SCHEMA, "regions": listed, "notes": list(snapshot.notes)}


def _size(size: Optional[TeamSize]) -> Optional[Document]:
    """Return why a team has its size, with a sentence."""
    if size is None:
        return None
    words = ("rule", "certain", "notable", "asked", "nthreads", "limit", "setting", "variable")
    return {**fields(size, *words, "others"), "text": plain(sentence_of(size))}


def tasks(chains: Sequence[Task], waiting: WaitingTasks = WaitingTasks()) -> Document:
    """Return the document of ``ompd tasks -json``: the chains of threads, then the tasks
    that no thread executes."""
    return {"schema": SCHEMA, "tasks": of([*chains, *waiting.tasks]), "notes": list(waiting.notes)}


def icvs(values: Sequence[Icv]) -> Document:
    """Return the document of ``ompd icvs -json``."""
    return {"schema": SCHEMA, "icvs": of(list(values))}


def env(variables: Sequence[ControlVariable]) -> Document:
    """Return the document of ``ompd env -json``."""
    return {"schema": SCHEMA, "control_variables": of(list(variables))}


def status(facts: Status) -> Document:
    """Return the document of ``ompd status -json``."""
    return {"schema": SCHEMA, **of(facts), "settings": dict(facts.settings)}


def version(own: str, debugger: str, python: str) -> Document:
    """Return the document of ``ompd version -json``."""
    return {"schema": SCHEMA, "version": own, "debugger": f"GDB {debugger}", "python": python}


def why(report: Report) -> Document:
    """Return the document of ``ompd why -json``."""
    keys = ("verdict", "text", "teams", "locks", "cycles", "crashes", "overflows")
    return {
        "schema": SCHEMA,
        **fields(report, *keys),
        "waiting_tasks": None if report.waiting_tasks is None else dict(report.waiting_tasks),
        "detached": of(report.detached),
        "notes": list(report.notes),
    }


def _doubts(doubts: Sequence[Doubt]) -> Document:
    """Return which facts have another source than the OMPD library, and what failed for
    those that are not known."""
    return {
        "sources": {each.fact: each.source for each in doubts if each.source},
        "unknown": {each.fact: each.failed for each in doubts if each.failed},
    }


def _task(task: Union[Task, WaitingTask]) -> Document:
    made = fields(task, *OF_TASK)
    if isinstance(task, WaitingTask):
        made.update(kind=TaskKind.EXPLICIT.value, frames=of(TaskFrames(None, None)), running=False)
    return {**made, **_doubts(task.doubts)}


def _owner(owner: IcvOwner) -> Document:
    return fields(owner, "gdb_num" if owner.region is None else "region")


def _overflow(overflow: Overflow) -> Document:
    settings = list(stack_settings(overflow))
    return {"gdb_num": overflow.gdb_num, "stack_size": overflow.size, "settings": settings}


def _team(team: Team) -> Document:
    return fields(team, "region", "groups", "missing", "unknown", "barrier")


def _group(group: Group) -> Document:
    waits_for = fields(group, "kind", "address", "name")
    return {
        "gdb_num": list(group.gdb_nums),
        "thread_num": list(group.thread_nums),
        "waits_for": waits_for if group.kind is not None else None,
        **fields(group, "outside", "arrived", "running", "signal", "phase", "location"),
        "polls": list(group.polls),
        "target": of(group.target),
        "endless": group.endless,
    }


def _lock(lock: Lock) -> Document:
    made: Document = lock._asdict()
    for key in ("waiters", "holders"):
        made[key] = [{"gdb_num": number} for number in made[key]]
    return made


_OTHERWISE: dict[type, Any] = {
    Task: _task,
    WaitingTask: _task,
    IcvOwner: _owner,
    Overflow: _overflow,
    Team: _team,
    Group: _group,
    Lock: _lock,
}


# Stacks


def stack(logical: LogicalStack, notes: Sequence[str], full: bool) -> Document:
    """Return the document of ``ompd bt -json``; FULL has the runtime's frames too."""
    listed: list[Document] = []
    for part in logical.parts:
        if isinstance(part, Frames):
            frames = (frame for frame in part.frames if full or not frame.hidden)
            listed.extend(_frame(part.gdb_num, frame) for frame in frames)
        else:
            listed.append(_mark(part))
    return {
        "schema": SCHEMA,
        "gdb_num": logical.gdb_num,
        "stack": listed,
        "ends": logical.ends,
        "notes": [*logical.notes, *notes],
    }


def trees(found: Sequence[Tree], notes: Sequence[str]) -> Document:
    """Return the document of ``ompd bt -team -json`` and ``-all -json``."""
    return {"schema": SCHEMA, "trees": [_tree(tree) for tree in found], "notes": list(notes)}


def _tree(tree: Tree) -> Document:
    return {
        "region": of(tree.region),
        "known": tree.known,
        "nodes": [_node(node) for node in tree.nodes],
        "missing": [member.gdb_num for member in tree.missing],
        "unplaced": [member.gdb_num for member in tree.unplaced],
        "lost": {code: [member.gdb_num for member in members] for code, members in tree.lost},
        "unknown": list(tree.unknown),
    }


def _node(node: Node) -> Document:
    return {
        "parent": node.parent,
        "threads": [member.gdb_num for member in node.members],
        "thread_nums": [member.thread_num for member in node.members],
        **fields(node.place, *PLACE, "pc"),
        "task": node.place.task,
        "region": node.place.region,
        **doing(node.place.doing),
    }


def doing(thread: Any) -> Document:
    """Return what a thread does, be it None."""
    return fields(thread, "state", "waits_for", "outside", "target")


def _frame(gdb_num: int, frame: StackFrame) -> Document:
    own = fields(frame, "number", "pc", "outlined", "hidden", "found_by_search")
    return _entry("frame", gdb_num, frame, frame={**own, "arguments": dict(frame.arguments)})


def _mark(mark: Mark) -> Document:
    team = fields(mark, "region", "level", "thread_num", "team_size", "serialized")
    is_task = mark.kind is Construct.TASK
    is_known = mark.function is not None or mark.code is not None
    return _entry(
        mark.kind.value,
        mark.gdb_num,
        mark,
        team=None if mark.region is None else team,
        continued=mark.continued,
        creator=mark.creator if is_task else None,
        unknown=_doubts([NO_FUNCTION] if is_task and not is_known else [])["unknown"],
    )


def _entry(kind: str, gdb_num: int, spot: Union[StackFrame, Mark], **own: Any) -> Document:
    others: Document = {
        "frame": None,
        "team": None,
        "continued": None,
        "creator": None,
        "unknown": {},
    }
    return {"entry": kind, "gdb_num": gdb_num, **place_of(spot), **others, **own}
