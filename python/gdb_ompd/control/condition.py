# SPDX-License-Identifier: Apache-2.0
"""What GDB evaluates in an event breakpoint's condition.

GDB does so each time the program comes to the runtime's event function, mostly
to find that it goes on. No event tells that memory changed since, so that
nothing of it is kept; what addresses mean is kept until files come or go.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

import gdb

from ..code_map import CodeMap
from ..errors import OmpdToolError
from ..model import Location
from ..registry import session_of
from ..session import Session
from ..source import OUTLINED, SourceMap
from . import event_stack, where
from .event_task import EventTask, TaskFinder
from .event_team import function_of_team, function_of_teams
from .gcc_ends import GccEnds
from .tail_call import CallSites


class Events:
    """What is known of one inferior's code, as far as its events have asked."""

    def __init__(self, session: Session, code: CodeMap, sources: SourceMap) -> None:
        self._session = session
        self.code = code
        self.sources = sources
        self._own: dict[int, bool] = {}
        self._gcc_ends = GccEnds(code)
        self._calls: dict[int, Optional[Location]] = {}
        self._routines: dict[int, Location] = {}
        self._tasks: Optional[TaskFinder] = None
        self._matches: dict[tuple[str, int], bool] = {}
        self._call_sites = CallSites(session.modules())

    def counts(self, event: str, announcer: gdb.Frame) -> bool:
        """Tell whether this is an event of the program's: not one that was announced
        before, and no task that the runtime made for itself."""
        if event.startswith("parallel-"):
            own = self.is_entry_points_own(announcer)
            return self._gcc_ends.counts(announcer, own) if event == "parallel-end" else not own
        if event.startswith("task-"):
            task = self.task(announcer)
            return task is None or self.tasks().is_user(task.routine)
        return True

    def is_entry_points_own(self, announcer: gdb.Frame) -> bool:
        """Tell whether what was announced has ended already (see ``event_stack``)."""
        pc = announcer.pc()
        if pc not in self._own:
            self._own[pc] = event_stack.is_entry_points_own(self.code, announcer)
        return self._own[pc]

    def is_at(self, event: str, location: str, announcer: gdb.Frame) -> bool:
        """Tell whether the construct of what begins or ends is at LOCATION."""
        place = self.construct(event, announcer)
        if place is None:
            return False
        key = location, place.pc
        if key not in self._matches:
            self._matches[key] = where.parse(location).matches(place)
        return self._matches[key]

    def construct(self, event: str, announcer: gdb.Frame) -> Optional[Location]:
        """Return the construct that begins or ends, None where it cannot be known.

        A thread's begin and end have none: it is wherever the thread is.
        """
        if event.startswith("task-"):
            task = self.task(announcer)
            return self.of_routine(task.routine) if task is not None else None
        if not event.startswith("parallel-"):
            return None
        caller = event_stack.caller(self.code, announcer)
        if event_stack.is_team_of_league(caller, announcer, event == "parallel-begin"):
            if caller is None:
                return self._of_function(function_of_teams(self._session, self.tasks()))
        elif caller is None or caller.body is not None:
            return self._of_function(self._handed_over(event, announcer))
        return self._of_call(caller) if caller is not None else None

    def _handed_over(self, event: str, announcer: gdb.Frame) -> Optional[int]:
        """Return the outlined function of a region whose call left no frame.

        LLVM's team has it. Of GCC's regions the team has a wrapper of the runtime's,
        but the entry point still needs the function when the region begins: taken if
        it is the only one of the program's in its callee-saved registers.
        """
        begins = event == "parallel-begin"
        function = function_of_team(self._session, announcer, begins)
        if function is None or self.tasks().is_user(function) or not begins:
            return function
        entry = event_stack.entry_below_body(announcer)
        saved = event_stack.saved_registers(entry) if entry is not None else []
        found = [value for value in saved if self.tasks().is_user(value)]
        return found[0] if len(found) == 1 else None

    def _of_function(self, function: Optional[int]) -> Optional[Location]:
        return self.of_routine(function) if function and self.code.is_user(function) else None

    def _of_call(self, caller: event_stack.Caller) -> Optional[Location]:
        if caller.pc not in self._calls:
            at = self._call_sites.construct(caller.pc, caller.entry)
            # A call returns behind itself; of a jump the address is its own.
            self._calls[caller.pc] = (
                self.sources.construct_at_call(at + 1) if at is not None else None
            )
        return self._calls[caller.pc]

    def of_routine(self, routine: int) -> Location:
        """Return the construct that a compiler made the function at ROUTINE of."""
        if routine not in self._routines:
            place = self.sources.construct_of_function(routine)
            line = _declared_line(routine)
            self._routines[routine] = replace(place, line=line) if line else place
        return self._routines[routine]

    def task(self, announcer: gdb.Frame) -> Optional[EventTask]:
        """Return the explicit task that begins or ends, None if it cannot be known."""
        try:
            return self.tasks().find(announcer)
        except OmpdToolError:
            return None

    def tasks(self) -> TaskFinder:
        """Return what finds tasks by registers."""
        if self._tasks is None:
            provider = self._session.provider_at(gdb.newest_frame().pc())
            if provider is None:
                raise OmpdToolError("the event is of no runtime that is known")
            self._tasks = TaskFinder(self.code, self._session.modules(), provider.layout())
        return self._tasks


def _declared_line(routine: int) -> Optional[int]:
    """Return the line of an outlined function's construct, by its declaration: its
    first code may be the body's, inlined. None if the function is the user's own."""
    block = gdb.block_for_pc(routine)
    while block is not None and (block.function is None or block.start != routine):
        block = block.superblock
    while block is not None and block.superblock is not None and block.superblock.function:
        block = block.superblock
    if block is None or not OUTLINED.search(block.function.name):
        return None
    return int(block.function.line) or None


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


def event_at(event: str, location: str = "") -> bool:
    """Tell whether the program is at EVENT, and its construct at LOCATION if that is
    given. To be asked where the runtime's event function begins."""
    announcer = event_stack.announcer()
    if announcer is None:
        return False
    known = events_here()
    if not known.counts(event, announcer):
        return False
    return not location or known.is_at(event, location, announcer)


def user_value(expression: str) -> gdb.Value:
    """Return EXPRESSION's value where the selected thread's innermost user code is;
    on a thread that has none, such as a worker at a barrier, without any locals."""
    code = session_of().places()[0]
    before = gdb.selected_frame()
    caller = event_stack.caller(code, gdb.newest_frame())
    if caller is None:
        return gdb.parse_and_eval(expression)
    try:
        caller.frame.select()
        return _read(gdb.parse_and_eval(expression))
    finally:
        before.select()


def _read(value: gdb.Value) -> gdb.Value:
    """Fetch a value while its frame is selected."""
    value.fetch_lazy()
    return value
