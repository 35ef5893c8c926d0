# SPDX-License-Identifier: Apache-2.0
"""What begins or ends at an event's stop: which construct, and whose it is."""

from __future__ import annotations

from typing import Optional

import gdb

from ..errors import OmpdToolError
from ..model import Event, EventKind, Maker, TaskKind
from ..protocols import READ_ERRORS
from ..providers.ompd import task_chain
from ..providers.ompd.graph import Boundary, Graph
from ..registry import session_of
from ..session import Session
from . import event_stack
from .condition import Events, events_here
from .event_stack import Caller
from .event_task import EventTask
from .event_team import event_team, requested_threads, selected_thread


def read(name: str) -> tuple[Event, Optional[gdb.Frame]]:
    """Return what the selected thread has stopped at, and the frame of the user's
    code below which that happens, None if the thread has none.

    What cannot be read is left out: the program has stopped there all the same.
    A region's event has the thread counted as the region's until it goes on.
    """
    announcer = event_stack.announcer()
    if announcer is None or name.startswith("thread-"):
        thread = gdb.selected_thread()
        lwp = thread.ptid[1] or thread.ptid[2]
        return Event(name, EventKind.THREAD, gdb_num=thread.num, lwp=lwp), None
    known = events_here()
    caller = event_stack.caller(known.code, announcer)
    if name.startswith("task-"):
        event = _task(name, known, announcer)
    else:
        event = _region(name, known, announcer, caller)
    return event, caller.frame if caller is not None else None


def _region(name: str, known: Events, announcer: gdb.Frame, caller: Optional[Caller]) -> Event:
    place = known.construct(name, announcer)
    kind = _kind(name, announcer, caller)
    try:
        found = event_team(session_of(), announcer)
        if found is None or known.is_entry_points_own(announcer):
            return Event(name, kind, place)
        requested = None
        if name == "parallel-begin" and kind is EventKind.REGION and caller is not None:
            requested = requested_threads(found, caller.entry)
        size, level = found.team.nproc, found.team.level
        found.provider.set_boundary(Boundary(found.thread.address, found.team.address))
    except (OmpdToolError, *READ_ERRORS):
        return Event(name, kind, place)
    return Event(name, kind, place, requested, size, level)


def _kind(name: str, announcer: gdb.Frame, caller: Optional[Caller]) -> EventKind:
    if event_stack.is_team_of_league(caller, announcer, name == "parallel-begin"):
        return EventKind.TEAM
    of_teams = caller is not None and caller.entry == event_stack.FORK_TEAMS
    return EventKind.LEAGUE if of_teams else EventKind.REGION


def _task(name: str, known: Events, announcer: gdb.Frame) -> Event:
    place = known.construct(name, announcer)
    try:
        return _task_by(name, session_of(), known, announcer)
    except (OmpdToolError, *READ_ERRORS):
        return Event(name, EventKind.TASK, place)


def _task_by(name: str, session: Session, known: Events, announcer: gdb.Frame) -> Event:
    """Return a task's event with who made the task and who runs it."""
    place = known.construct(name, announcer)
    provider = session.provider_at(gdb.newest_frame().pc())
    if provider is None:
        return Event(name, EventKind.TASK, place)
    stop = provider.stop()
    task = known.task(announcer)
    maker = _maker(known, stop.graph, task) if task is not None else None
    thread = selected_thread(provider)
    if thread is None or thread.team is None:
        return Event(name, EventKind.TASK, place, maker=maker)
    return Event(
        name,
        EventKind.TASK,
        place,
        team_size=thread.team.nproc,
        maker=maker,
        thread_num=thread.thread_num,
    )


def _maker(known: Events, graph: Graph, task: EventTask) -> Optional[Maker]:
    """Return the task that generated TASK (``td_parent``)."""
    parent = graph.read_field(task.record, "kmp_taskdata_t", "td_parent")
    if parent == 0:
        return None
    kind = task_chain.kind_of(graph, parent)
    if kind is TaskKind.EXPLICIT:
        return Maker(kind, known.of_routine(task_chain.routine_of(graph, parent)))
    return Maker(kind, thread_num=task_chain.thread_num_of(graph, parent))
