# SPDX-License-Identifier: Apache-2.0
"""What GDB evaluates in an event breakpoint's condition, and what is said where one stops.

GDB evaluates each time the program comes to the runtime's event function, mostly
to find that it goes on. No event tells that memory changed since, so that
nothing of it is kept; what addresses mean is kept until files come or go.
"""

from __future__ import annotations

from itertools import islice
from typing import Optional, Union

import gdb

from .. import _native
from .._native import CodeMap, EventRegion, EventTask, RuntimeFunction
from ..errors import OmpdToolError
from ..host.protocols import READ_ERRORS
from ..host.selection import frames_from
from ..host.source import SourceMap
from ..model import Event, EventKind, Location, Maker, TaskKind
from ..host.runtimes.event_functions import LEAGUE_FUNCTIONS, TARGET_FUNCTIONS, announced_as
from ..host.sessions.registry import session_of
from ..host.sessions.session import Session
from .event_records import EventRecords
from .event_stack import EventStack, EventStacks
from .gnu_moment import GnuMoment, GnuPlaces
from .stepping.construct_code import ConstructCode
from .target_moment import TargetMoment
from .wanted_place import parse


MOST_CALLERS = 20  # of an unnamed function, in which the named one is looked for


class Events:
    """What is known of one inferior's code, as far as its events have asked."""

    def __init__(self, session: Session, code: CodeMap, sources: SourceMap) -> None:
        self.session = session
        self.code = code
        self.sources = sources
        self.stacks = EventStacks(session)
        self._calls: dict[int, Optional[Location]] = {}
        self._records: dict[int, EventRecords] = {}  # by where the runtime is
        self._matches: dict[tuple[str, int], bool] = {}
        self._functions: dict[int, Optional[Location]] = {}  # by where their calls return
        self._gnu_places: dict[int, GnuPlaces] = {}  # by where the runtime is
        # For steps: to read the lines of a function of 3,000 takes 77 ms.
        self.construct_code = ConstructCode(session)

    def matches(self, location: str, place: Location) -> bool:
        """Tell whether a construct is at LOCATION."""
        key = location, place.pc
        if key not in self._matches:
            wanted = parse(location)
            codes = self.sources.codes_of(place) if wanted.offset is not None else ()
            self._matches[key] = wanted.matches(place, codes)
        return self._matches[key]

    def is_called_by(self, location: str, place: Location, user: gdb.Frame) -> bool:
        """Tell whether a construct at PLACE, in a function without a name, is below a call of the
        function LOCATION of its file. USER is the frame that has met the construct."""
        wanted, code = parse(location), place.code
        if wanted.function is None or place.function is not None or code is None:
            return False
        for frame in islice(frames_from(user.older()), MOST_CALLERS):
            inside = self.code.is_user(frame.pc()) and self.sources.location_of(frame)
            if not inside or inside.code is None:
                return False
            leaves = inside.code.module != code.module
            caller = self._called_at(frame.pc()) if leaves else inside
            if caller is not None and wanted.matches(caller):
                return True
            if leaves:
                return False
        return False

    def _called_at(self, pc: int) -> Optional[Location]:
        """Return the function that the call which returns to PC names; it may have ended with a
        jump, and so has no frame."""
        if pc not in self._functions:
            target = self.session.fresh_wait_reader().call_before(pc).target
            self._functions[pc] = self.sources.location_at(target, True) if target else None
        return self._functions[pc]

    def of_call(self, pc: int, entry: str, user: Optional[gdb.Frame]) -> Optional[Location]:
        """Return the construct whose call of the runtime's ENTRY returns to PC in USER's
        frame; None where the call's code does not tell what it calls."""
        if pc not in self._calls:
            at = self.session.fresh_wait_reader().construct(pc, entry)
            if at is None:
                self._calls[pc] = None
            else:  # a call returns behind itself; of a jump the address is its own
                call = self.sources.construct_at_call(at + 1)
                body = self.session.fresh_stacks().body_given(user) if user is not None else None
                self._calls[pc] = self.sources.construct_called(call, body)
        return self._calls[pc]

    def of_routine(self, routine: int) -> Location:
        """Return the construct that a compiler made the function at ROUTINE of."""
        return self.sources.construct_of_function(routine)

    def task(self) -> Optional[EventTask]:
        """Return the explicit task whose begin or end is announced, None if it cannot be
        known."""
        records = self.records()
        return records.task() if records is not None else None

    def is_user(self, function: int) -> bool:
        """Tell whether a function of the program's begins there."""
        records = self.records()
        return records is not None and records.is_user(function)

    def records(self) -> Optional[EventRecords]:
        """Return what the runtime that announces the event has recorded, None where that
        is no runtime that can be read."""
        provider = self.session.files.provider_at(gdb.newest_frame().pc())
        if provider is None:
            return None
        where = provider.mapped.bias
        if where not in self._records:
            try:
                reader = provider.runtime.event_reader(self.code, self.session.files.readable())
            except (OmpdToolError, *READ_ERRORS):
                return None
            if reader is None:
                return None
            self._records[where] = EventRecords(provider, reader, self.stacks)
        return self._records[where]

    def gnu_moment(self, event: str) -> Optional[GnuMoment]:
        """Return the EVENT at which the selected thread is in a runtime whose events are places
        in its code, None where it is in another."""
        provider = self.session.files.provider_at(gdb.newest_frame().pc())
        if provider is None or not provider.traits.has_places:
            return None
        where = provider.mapped.bias
        if where not in self._gnu_places:
            places = provider.runtime.event_places()
            if places is None:
                return None
            self._gnu_places[where] = GnuPlaces(provider, places)
        return GnuMoment(event, self.session, self._gnu_places[where])


class EventMoment:
    """One event, at which the selected thread stands now."""

    def __init__(self, event: str) -> None:
        self.event = event
        self.known = events_here()
        self.of_task = event.startswith("task-")
        # What the runtime has it among, the same where it has the event itself.
        self._announced = event if is_own(event) else announced_as(event)
        self._stack: Optional[EventStack] = None
        self._region: Optional[EventRegion] = None
        self._has_read_region = False
        # The explicit task that begins or ends, None if it cannot be known.
        self.task = self.known.task() if self.of_task else None

    @property
    def stack(self) -> EventStack:
        """The thread's stack, unwound when it is first asked for."""
        if self._stack is None:
            self._stack = EventStack(self.known.stacks)
        return self._stack

    @property
    def begins(self) -> bool:
        """Whether something begins, and does not end."""
        return self.event.endswith("-begin")

    def region(self) -> Optional[EventRegion]:
        """Return the region that begins or ends, None where it is not known."""
        if not self._has_read_region:
            self._has_read_region = True
            records = self.known.records()
            if records is not None:
                self._region = records.region(self.stack, self.begins)
        return self._region

    def counts(self) -> bool:
        """Tell whether this is an event of the program's: not one that was announced
        before, and no task that the runtime made for itself."""
        if self.of_task:
            return self.task is None or self.known.is_user(self.task.routine)
        if self._announced != self.event and not self.is_league:
            return False
        if self._announced == "parallel-end":
            return self.stack.counts_end()
        if (
            self._announced != "parallel-begin"
            or RuntimeFunction(gdb.newest_frame().name()).role == "forks"
        ):
            return True  # a thread's, or at a runtime's exported function
        return not self.stack.facts.is_entry_points_own

    def place(self) -> Optional[Location]:
        """Return the construct that begins or ends, None where it cannot be known.

        A thread's begin and end have none: it is wherever the thread is.
        """
        if self.of_task:
            return self._of_function(self.task.routine) if self.task is not None else None
        if not announced_as(self.event).startswith("parallel-"):
            return None
        stack = self.stack.facts
        if not stack.has_user and stack.is_team_of_league(self.begins):
            records = self.known.records()
            return self._of_function(records.function_of_teams() if records is not None else None)
        if not stack.body_has_frame:
            return self._of_function(self._handed_over())
        place = self.known.of_call(stack.pc, stack.entry, self.user)
        return place if place is not None else self._of_function(self._handed_over())

    @property
    def is_league(self) -> bool:
        """Whether it is a league's."""
        return is_own(self.event) or _kind(self.stack.facts, self.begins) is EventKind.LEAGUE

    @property
    def user(self) -> Optional[gdb.Frame]:
        """The user's frame below which it happens."""
        return self.stack.user

    def facts(self) -> Event:
        """Return what begins or ends; what cannot be read is left out."""
        return _task(self) if self.of_task else _region(self)

    def _handed_over(self) -> Optional[int]:
        """Return the outlined function of a region whose call left no frame, or was
        made through a pointer.

        LLVM's team has it. Of GCC's regions the team has a wrapper of the runtime's, but the entry
        point still needs the function when the region begins. It is taken if it is the only one of
        the program's in its callee-saved registers.
        """
        is_user, region = self.known.is_user, self.region()
        if region is None or not region.function:
            return None
        if is_user(region.function) or not self.begins:
            return region.function
        entry = self.stack.entry_frame
        saved = self.known.stacks.saved_registers(entry) if entry is not None else []
        found = [value for value in saved if is_user(value)]
        return found[0] if len(found) == 1 else None

    def _of_function(self, function: Optional[int]) -> Optional[Location]:
        if not function or not self.known.code.is_user(function):
            return None
        return self.known.of_routine(function)


# In the names of the functions that are called at tasks' events, as LLVM 14 to 16 mangle
# them, too.
TASK_EVENTS = "ompd_bp_task_"

_events: dict[int, Events] = {}


def events_here() -> Events:
    """Return what is known of the selected inferior, anew after files came or went."""
    session = session_of()
    code, sources = session.places()
    number = gdb.selected_inferior().num
    known = _events.get(number)
    if known is None or known.code is not code or known.sources is not sources:
        known = _events[number] = Events(session, code, sources)
    return known


def is_own(event: str) -> bool:
    """Tell whether the program is at a function that a runtime has for leagues alone."""
    function = LEAGUE_FUNCTIONS.get(event)
    return function is not None and function in (gdb.newest_frame().name() or "")


def moment_of(event: str) -> Union[EventMoment, GnuMoment, TargetMoment]:
    """Return the EVENT at which the selected thread stands, in whichever runtime."""
    known = events_here()
    gnu = known.gnu_moment(event)
    if gnu is None and event in TARGET_FUNCTIONS:
        return TargetMoment(event, known.session, known.of_call, known.of_routine)
    return gnu or EventMoment(event)


def event_at(event: str, location: str = "") -> bool:
    """Tell whether the program is at EVENT, and its construct at LOCATION if that is
    given. To be asked where the runtime's event function begins."""
    moment = moment_of(event)
    if not moment.counts():
        return False
    if not location:
        return True
    place, known = moment.place(), events_here()
    if place is None or known.matches(location, place):
        return place is not None
    user = moment.user if announced_as(event).startswith("parallel-") else None
    return user is not None and known.is_called_by(location, place, user)


def user_value(expression: str) -> gdb.Value:
    """Return EXPRESSION's value where the selected thread's innermost user code is. It is evaluated
    without any locals on a thread that has none, such as a worker at a barrier, and where a task
    begins or ends."""
    before = gdb.selected_frame()
    if TASK_EVENTS in (gdb.newest_frame().name() or ""):
        return gdb.parse_and_eval(expression)  # the user's frames here are another task's
    moment = events_here().gnu_moment("parallel-begin")
    user = EventStack(events_here().stacks).user if moment is None else moment.user
    if user is None:
        return gdb.parse_and_eval(expression)
    try:
        user.select()
        return _read(gdb.parse_and_eval(expression))
    finally:
        before.select()


def _read(value: gdb.Value) -> gdb.Value:
    """Fetch a value while its frame is selected."""
    value.fetch_lazy()
    return value


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
    return moment.facts(), moment.user


def _region(moment: EventMoment) -> Event:
    place, stack = moment.place(), moment.stack.facts
    kind = EventKind.LEAGUE if moment.is_league else _kind(stack, moment.begins)
    known = Event(moment.event, kind, place)
    found, records = moment.region(), moment.known.records()
    if found is None or records is None or stack.is_entry_points_own:
        return known
    records.provider.runtime.set_boundary(found.thread, found.team)
    requested = found.requested if kind is EventKind.REGION else None
    return known._replace(requested=requested, team_size=found.size, level=found.level)


def _kind(stack: _native.EventPath, begins: bool) -> EventKind:
    if stack.is_team_of_league(begins):
        return EventKind.TEAM
    return EventKind.LEAGUE if stack.begins_league else EventKind.REGION


def _task(moment: EventMoment) -> Event:
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
    return known._replace(maker=maker, thread_num=place.thread_num, team_size=place.team_size)


def _maker(known: Events, records: EventRecords, task: EventTask) -> Optional[Maker]:
    """Return the task that generated TASK."""
    found = records.maker(task)
    if found is None:
        return None
    place = known.of_routine(found.function) if found.function is not None else None
    return Maker(TaskKind(found.kind), place, found.thread_num)
