# SPDX-License-Identifier: Apache-2.0
"""What begins or ends at an event's stop: which construct, and whose it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

import gdb

from ..errors import OmpdToolError
from ..model import Event, EventKind, Maker, TaskKind
from ..host.protocols import READ_ERRORS
from ..providers.ompd import task_chain
from ..providers.ompd.graph import Boundary, Graph
from .condition import Events, Moment
from .event_stack import EventStack, FORK_TEAMS
from .event_task import EventTask
from .event_team import event_team, requested_threads, selected_thread


def read(name: str) -> tuple[Event, Optional[gdb.Frame]]:
    """Return what the selected thread has stopped at, and the frame of the user's
    code below which that happens, None if the thread has none.

    What cannot be read is left out: the program has stopped there all the same.
    A region's event has the thread counted as the region's until it goes on.
    """
    if name.startswith("thread-"):
        thread = gdb.selected_thread()
        lwp = thread.ptid[1] or thread.ptid[2]
        return Event(name, EventKind.THREAD, gdb_num=thread.num, lwp=lwp), None
    moment = Moment(name)
    event = _task(moment) if moment.of_task else _region(moment)
    return event, moment.stack.user


def _region(moment: Moment) -> Event:
    place, stack = moment.place(), moment.stack
    begins = moment.event == "parallel-begin"
    kind = _kind(stack, begins)
    known = Event(moment.event, kind, place)
    try:
        found = event_team(moment.known.session, stack, begins)
        if found is None or stack.is_entry_points_own:
            return known
        requested = None
        if begins and kind is EventKind.REGION:
            requested = requested_threads(found, stack.entry)
        size, level = found.team.nproc, found.team.level
        found.provider.set_boundary(Boundary(found.thread.address, found.team.address))
    except (OmpdToolError, *READ_ERRORS):
        return known
    return replace(known, requested=requested, team_size=size, level=level)


def _kind(stack: EventStack, begins: bool) -> EventKind:
    if stack.is_team_of_league(begins):
        return EventKind.TEAM
    return EventKind.LEAGUE if stack.entry == FORK_TEAMS else EventKind.REGION


def _task(moment: Moment) -> Event:
    known = Event(moment.event, EventKind.TASK, moment.place())
    try:
        provider = moment.known.session.provider_at(gdb.newest_frame().pc())
        if provider is None:
            return known
        graph = provider.graph()
        maker = _maker(moment.known, graph, moment.task) if moment.task is not None else None
        thread = selected_thread(provider)
    except (OmpdToolError, *READ_ERRORS):
        return known
    if thread is None or thread.team is None:
        return replace(known, maker=maker)
    size = thread.team.nproc
    return replace(known, maker=maker, thread_num=thread.thread_num, team_size=size)


def _maker(known: Events, graph: Graph, task: EventTask) -> Optional[Maker]:
    """Return the task that generated TASK (``td_parent``)."""
    parent = graph.read_field(task.record, "kmp_taskdata_t", "td_parent")
    if parent == 0:
        return None
    kind = task_chain.kind_of(graph, parent)
    if kind is TaskKind.EXPLICIT:
        return Maker(kind, known.of_routine(task_chain.routine_of(graph, parent)))
    return Maker(kind, thread_num=task_chain.thread_num_of(graph, parent))
