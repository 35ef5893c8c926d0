# SPDX-License-Identifier: Apache-2.0
"""What begins or ends at an event's stop: which construct, and whose it is."""

from __future__ import annotations

from typing import Optional

import gdb

from ..errors import OmpdToolError
from ..model import Event, EventKind, Maker, TaskKind
from ..host.protocols import READ_ERRORS
from .condition import Events, Moment, moment_of
from .event_records import EventRecords, EventTask
from .event_stack import EventStack, FORK_TEAMS
from .gnu_moment import GnuMoment


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
    moment = moment_of(name)
    if isinstance(moment, GnuMoment):
        return moment.facts(), moment.user
    event = _task(moment) if moment.of_task else _region(moment)
    return event, moment.stack.user


def _region(moment: Moment) -> Event:
    place, stack = moment.place(), moment.stack
    kind = _kind(stack, moment.begins)
    known = Event(moment.event, kind, place)
    found, records = moment.region(), moment.known.records()
    if found is None or records is None or stack.is_entry_points_own:
        return known
    records.provider.set_boundary((found.thread, found.team))
    requested = found.requested if kind is EventKind.REGION else None
    return known._replace(requested=requested, team_size=found.size, level=found.level)


def _kind(stack: EventStack, begins: bool) -> EventKind:
    if stack.is_team_of_league(begins):
        return EventKind.TEAM
    return EventKind.LEAGUE if stack.entry == FORK_TEAMS else EventKind.REGION


def _task(moment: Moment) -> Event:
    known, records = Event(moment.event, EventKind.TASK, moment.place()), moment.known.records()
    if records is None:
        return known
    try:
        maker = _maker(moment.known, records, moment.task) if moment.task is not None else None
        place = records.place()
    except (OmpdToolError, *READ_ERRORS):
        return known
    if place is None:
        return known._replace(maker=maker)
    return known._replace(maker=maker, thread_num=place[0], team_size=place[1])


def _maker(known: Events, records: EventRecords, task: EventTask) -> Optional[Maker]:
    """Return the task that generated TASK."""
    found = records.maker(task)
    if found is None:
        return None
    kind, function, thread_num = found
    place = known.of_routine(function) if function is not None else None
    return Maker(TaskKind(kind), place, thread_num)
