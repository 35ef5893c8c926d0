# SPDX-License-Identifier: Apache-2.0
"""The ``-json`` documents. Their keys are relied upon: add, never rename."""

from __future__ import annotations

import json
from typing import Any, Optional, Sequence

from ..model import (
    ControlVariable,
    Creator,
    Doubt,
    Icv,
    IcvOwner,
    Location,
    Region,
    RuntimeStatus,
    Snapshot,
    Status,
    Task,
    TaskKind,
    Thread,
    WaitingTask,
    WaitingTasks,
    WaitsFor,
)
from ..explain.crash import settings as stack_settings
from ..explain.facts import Crash, Overflow
from ..explain.report import Group, Lock, Report, Step, Team

SCHEMA = 1

Document = dict[str, Any]


def dump(document: Document) -> str:
    """Write DOCUMENT as JSON, each item of a list of objects on its own line."""
    members = [f"{json.dumps(key)}: {_value(value)}" for key, value in document.items()]
    return "{" + ",\n ".join(members) + "}"


def nothing(listed: str, why: str) -> Document:
    """Return the document of a command that has nothing to list, and WHY."""
    return {"schema": SCHEMA, listed: [], "notes": [why]}


def threads(snapshot: Snapshot) -> Document:
    """Return the document of ``ompd threads -json``."""
    listed = [thread_document(thread) for thread in snapshot.threads]
    return {"schema": SCHEMA, "threads": listed, "notes": list(snapshot.notes)}


def regions(snapshot: Snapshot) -> Document:
    """Return the document of ``ompd parallel -json``."""
    listed = [region_document(region) for region in snapshot.regions]
    return {"schema": SCHEMA, "regions": listed, "notes": list(snapshot.notes)}


def tasks(chains: Sequence[Task], waiting: WaitingTasks = WaitingTasks()) -> Document:
    """Return the document of ``ompd tasks -json``: the chains of threads, then the tasks
    that no thread executes."""
    listed = [*map(_task, chains), *map(_waiting_task, waiting.tasks)]
    return {"schema": SCHEMA, "tasks": listed, "notes": list(waiting.notes)}


def icvs(values: Sequence[Icv]) -> Document:
    """Return the document of ``ompd icvs -json``."""
    return {"schema": SCHEMA, "icvs": [_icv(icv) for icv in values]}


def env(variables: Sequence[ControlVariable]) -> Document:
    """Return the document of ``ompd env -json``."""
    listed = [{"name": v.name, "value": v.value, "source": v.source} for v in variables]
    return {"schema": SCHEMA, "control_variables": listed}


def why(report: Report) -> Document:
    """Return the document of ``ompd why -json``."""
    return {
        "schema": SCHEMA,
        "verdict": report.verdict.value,
        "text": report.text,
        "teams": [_why_team(team) for team in report.teams],
        "locks": [_why_lock(lock) for lock in report.locks],
        "cycles": [[_why_step(step) for step in cycle] for cycle in report.cycles],
        "crashes": [_crash(crash) for crash in report.crashes],
        "overflows": [_overflow(overflow) for overflow in report.overflows],
        "waiting_tasks": None if report.waiting_tasks is None else dict(report.waiting_tasks),
        "detached": [_location(spot) for spot in report.detached],
        "notes": list(report.notes),
    }


def _crash(crash: Crash) -> Document:
    return {
        "gdb_num": crash.gdb_num,
        "signal": crash.signal,
        "address": crash.address,
        "cause": crash.cause,
    }


def _overflow(overflow: Overflow) -> Document:
    settings = list(stack_settings(overflow))
    return {"gdb_num": overflow.gdb_num, "stack_size": overflow.size, "settings": settings}


def status(facts: Status) -> Document:
    """Return the document of ``ompd status -json``."""
    return {
        "schema": SCHEMA,
        "runtimes": [_runtime(runtime) for runtime in facts.runtimes],
        "settings": dict(facts.settings),
        "notes": list(facts.notes),
    }


def _value(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n  " + ",\n  ".join(json.dumps(item) for item in value) + "\n ]"
    return json.dumps(value)


def _doubts(doubts: Sequence[Doubt]) -> Document:
    """Return which facts have another source than the OMPD library, and what failed for
    those that are not known."""
    return {
        "sources": {each.fact: each.source for each in doubts if each.source},
        "unknown": {each.fact: each.failed for each in doubts if each.failed},
    }


def thread_document(thread: Thread) -> Document:
    """Return a thread, as every document has it."""
    return {
        "inferior": thread.inferior,
        "gdb_num": thread.gdb_num,
        "lwp": thread.lwp,
        "pthread_id": thread.pthread_id,
        "kind": thread.kind.value if thread.kind else None,
        "running": thread.running,
        "thread_num": thread.thread_num,
        "team_size": thread.team_size,
        "level": thread.level,
        "active_level": thread.active_level,
        "memberships": [[place.thread_num, place.team_size] for place in thread.memberships],
        "state": thread.state,
        "waits_for": waits_for_document(thread.waits_for),
        "task": thread.task.value if thread.task else None,
        "location": _location(thread.location),
        "error": thread.error,
        "signal": thread.signal,
        **_doubts(thread.doubts),
    }


def waits_for_document(wait: Optional[WaitsFor]) -> Optional[Document]:
    """Return what is waited for, as every document has it."""
    if wait is None:
        return None
    return {"kind": wait.kind, "address": wait.address, "name": wait.name}


def _location(spot: Optional[Location]) -> Optional[Document]:
    if spot is None:
        return None
    return {"function": spot.function, "file": spot.file, "line": spot.line, "pc": spot.pc}


def region_document(region: Region) -> Document:
    """Return a region, as every document has it."""
    return {
        "id": region.id,
        "parent": region.parent,
        "level": region.level,
        "active_level": region.active_level,
        "team_size": region.team_size,
        "serialized": region.serialized,
        "function": region.function,
        "file": region.file,
        "line": region.line,
        "threads": list(region.threads),
        **_doubts(region.doubts),
    }


def _task(task: Task) -> Document:
    return {
        "gdb_num": task.gdb_num,
        "depth": task.depth,
        "kind": task.kind.value if task.kind else None,
        "function": task.function,
        "file": task.file,
        "line": task.line,
        "final": task.final,
        "frames": {"enter": task.frames.enter, "exit": task.frames.exit},
        "generating": task.generating,
        "scheduling": task.scheduling,
        "running": task.running,
        "where": None,
        "queue": None,
        "creator": None,
        **_doubts(task.doubts),
    }


def _waiting_task(task: WaitingTask) -> Document:
    return {
        "gdb_num": None,
        "depth": None,
        "kind": TaskKind.EXPLICIT.value,
        "function": task.function,
        "file": task.file,
        "line": task.line,
        "final": task.final,
        "frames": {"enter": None, "exit": None},
        "generating": None,
        "scheduling": None,
        "running": False,
        "where": task.where.value,
        "queue": task.queue,
        "creator": _creator(task.creator),
        **_doubts(task.doubts),
    }


def _creator(creator: Optional[Creator]) -> Optional[Document]:
    if creator is None:
        return None
    return {
        "kind": creator.kind.value,
        "function": creator.function,
        "file": creator.file,
        "line": creator.line,
        "thread_num": creator.thread_num,
    }


def _icv(icv: Icv) -> Document:
    return {
        "name": icv.name,
        "scope": icv.scope.value,
        "owner": _owner(icv.owner),
        "value": icv.value,
        "text": icv.text,
        "source": icv.source,
    }


def _owner(owner: Optional[IcvOwner]) -> Optional[Document]:
    if owner is None:
        return None
    if owner.region is not None:
        return {"region": owner.region}
    return {"gdb_num": owner.gdb_num}


def _why_team(team: Team) -> Document:
    return {
        "region": region_document(team.region) if team.region is not None else None,
        "groups": [_why_group(group) for group in team.groups],
        "missing": list(team.missing),
        "unknown": list(team.unknown),
        "barrier": _location(team.barrier),
    }


def _why_group(group: Group) -> Document:
    return {
        "gdb_num": list(group.gdb_nums),
        "thread_num": list(group.thread_nums),
        "waits_for": {"kind": group.kind, "address": group.address, "name": group.name}
        if group.kind is not None
        else None,
        "outside": group.outside,
        "arrived": group.arrived,
        "running": group.running,
        "signal": group.signal,
        "phase": group.phase,
        "location": _location(group.location),
    }


def _why_lock(lock: Lock) -> Document:
    return {
        "kind": lock.kind,
        "address": lock.address,
        "name": lock.name,
        "waiters": [{"gdb_num": number} for number in lock.waiters],
        "holders": [{"gdb_num": number} for number in lock.holders],
        "source": lock.source,
        "held": lock.held,
        "holder_ended": lock.holder_ended,
    }


def _why_step(step: Step) -> Document:
    return {
        "gdb_num": step.gdb_num,
        "what": step.what,
        "location": _location(step.location),
        "waits_for": list(step.waits_for),
        "any": step.any,
    }


def _runtime(runtime: RuntimeStatus) -> Document:
    return {
        "file": runtime.file,
        "kind": runtime.kind,
        "version": runtime.version,
        "build_id": runtime.build_id,
        "ompd_library": runtime.ompd_library,
        "api_version": runtime.api_version,
        "symbols": runtime.symbols,
        "profile": runtime.profile,
        "layout_verified": runtime.layout_verified,
        "initialized": runtime.initialized,
        "events_enabled": runtime.events_enabled,
        "problem": runtime.problem,
        "refused": list(runtime.refused),
    }
