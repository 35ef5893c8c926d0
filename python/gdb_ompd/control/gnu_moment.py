# SPDX-License-Identifier: Apache-2.0
"""An event of GCC's runtime, which announces none. The program is at a place in its code where it
calls what the compiler outlined of a construct, or behind that call.

The places have the names of OMPD's event functions (native/src/recovery/gnu_events.cpp),
and a note tells of each where the outlined function is to be found.
"""

from __future__ import annotations

from functools import partial
from typing import Optional

import gdb

from .. import _native
from .._native import NativeThread, ThreadNumbers
from ..errors import OmpdToolError
from ..host.protocols import READ_ERRORS
from ..host.selection import frames_from
from ..model import Event, EventKind, Location, Maker, Task, TaskKind, place_in
from ..host.runtimes.event_functions import TARGET_FUNCTIONS, announced_as
from ..host.runtimes.provider import Provider
from ..host.sessions.session import Session
from .event_stack import read_register

UNREADABLE = (OmpdToolError, *READ_ERRORS)


class GnuPlaces:
    """The places in one runtime's code that are events, and the constructs that led there."""

    def __init__(self, provider: Provider, places: _native.GnuEventPlaces) -> None:
        self.provider = provider
        self.native = places
        self.constructs: dict[tuple[int, Optional[int]], Optional[Location]] = {}


class GnuMoment:
    """One event, at which the selected thread stands now."""

    def __init__(self, event: str, session: Session, places: GnuPlaces) -> None:
        self.event = event
        self._session = session
        self._places = places
        self._code, self._sources = session.places()
        self._frame = gdb.newest_frame()
        # The outlined function that is called, or has returned, None if it cannot be known.
        read = partial(read_register, self._frame)
        self.function = places.native.function(self._frame.pc(), read)
        # The user's frame that the runtime's return to, None where that is gone, or never was.
        others = (f for f in frames_from(self._frame) if self._code.code_at(f.pc()) != "runtime")
        caller = next(others, None)
        is_users = caller is not None and self._code.is_user(caller.pc())
        self.user: Optional[gdb.Frame] = caller if is_users else None

    def counts(self) -> bool:
        """Tell whether this is an event of the program's: the ends of tasks are a place of
        tasks for devices, too, which have no function there."""
        is_task = self.event.startswith("task-")
        if self.event in TARGET_FUNCTIONS:
            # The host executes what no call for a device does in the meantime, such as a task.
            native, outermost = self._places.native, self.user.newer() if self.user else None
            is_counted = outermost is not None and native.executes_target(
                outermost.pc(), read_register(self.user, "sp")
            )
            return native.is_target_call(self._frame.pc()) == is_counted
        if announced_as(self.event) != self.event:
            return self._places.native.is_leagues(self._frame.pc())
        return not is_task or self.function is None or self._code.is_user(self.function)

    def place(self) -> Optional[Location]:
        """Return the construct that begins or ends, None where it cannot be known.

        A thread's begin and end have none: it is wherever the thread is.
        """
        if self.event.startswith("thread-"):
            return None
        pc = self.user.pc() if self.user is not None else 0
        key = (0 if self.event.startswith("task-") else pc, self.function)
        if key not in self._places.constructs:
            self._places.constructs[key] = self._construct()
        return self._places.constructs[key]

    def _construct(self) -> Optional[Location]:
        caller = self._frame.older()
        # Else a body that ended with a jump is between, and its frame is gone.
        is_users = caller is not None and self._code.is_user(caller.pc())
        is_met = announced_as(self.event).startswith(("parallel-", "target-"))
        if is_met and self.user is not None and is_users:
            calls = self._session.fresh_wait_reader()
            entry = calls.at(self._frame.pc()).entry_point
            at = calls.construct(self.user.pc(), entry) if entry is not None else None
            if at is not None:  # a call returns behind itself; of a jump the address is its own
                call = self._sources.construct_at_call(at + 1)
                body = self.function or self._session.fresh_stacks().body_given(self.user)
                return self._sources.construct_called(call, body)
        if self.function is None or not self._code.is_user(self.function):
            return None
        return self._sources.construct_of_function(self.function)

    def facts(self) -> Event:
        """Return what begins or ends, as the runtime has it recorded now; what cannot be
        read is left out."""
        if self.event.startswith("task-"):
            return self._of_task()
        if self.event in TARGET_FUNCTIONS:
            return Event(self.event, EventKind.TARGET, self.place())
        if self._places.native.is_leagues(self._frame.pc()):
            return Event(self.event, EventKind.LEAGUE, self.place())
        if self._places.native.is_teams(self._frame.pc()):
            return Event(self.event, EventKind.TEAM, self.place())
        now, known = self._now(), Event(self.event, EventKind.REGION, self.place())
        if now is None:
            return known
        requested = self._requested(now) if self.event == "parallel-begin" else None
        return known._replace(requested=requested, team_size=now.team_size, level=now.level)

    def _thread(self) -> NativeThread:
        return self._places.provider.target.stopped_thread(gdb.selected_thread())

    def _now(self) -> Optional[ThreadNumbers]:
        try:
            return self._places.provider.place(self._thread())
        except UNREADABLE:
            return None

    def _requested(self, now: ThreadNumbers) -> Optional[int]:
        """Return how many threads the construct asked for. The runtime keeps only what it
        gave; that was the same unless a limit was met: dyn-var, thread-limit-var or, of a
        serialized region, max-active-levels-var."""
        if self._icv("dyn-var") != 0:
            return None
        limit = self._icv("max-active-levels-var" if now.team_size == 1 else "thread-limit-var")
        given = now.active_level if now.team_size == 1 else now.team_size
        return now.team_size if isinstance(limit, int) and given < limit else None

    def _icv(self, name: str) -> object:
        try:
            return self._places.provider.icv_of(self._thread(), name)
        except UNREADABLE:
            return None

    def _of_task(self) -> Event:
        now, known = self._now(), Event(self.event, EventKind.TASK, self.place())
        if now is None:
            return known
        number, size = now.thread_num, now.team_size
        return known._replace(maker=self._maker(), thread_num=number, team_size=size)

    def _maker(self) -> Optional[Maker]:
        """Return the task that generated this one, None where that is not known."""
        number = gdb.selected_thread().num
        try:
            chain = self._session.tasks((number,))
            if not chain or chain[0].kind is not TaskKind.EXPLICIT or chain[0].generating is None:
                return None
            maker = chain[chain[0].generating]
            if maker.kind is TaskKind.IMPLICIT:
                return Maker(maker.kind, None, self._thread_num_of(maker, number))
        except UNREADABLE:
            return None
        if maker.kind is TaskKind.EXPLICIT:
            return Maker(maker.kind, Location(**place_in(maker), pc=0))
        return Maker(maker.kind) if maker.kind is not None else None

    def _thread_num_of(self, implicit: Task, gdb_num: int) -> Optional[int]:
        """Return which thread of the team around a thread has an IMPLICIT task."""
        threads = self._session.threads(locations=False)
        region = next((each.region for each in threads if each.gdb_num == gdb_num), None)
        if region is None:
            return None
        tasks = self._session.implicit_tasks(region)
        own = (at for at, each in enumerate(tasks) if each.task_id == implicit.task_id)
        return next(own, None)
