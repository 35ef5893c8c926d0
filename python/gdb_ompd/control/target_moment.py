# SPDX-License-Identifier: Apache-2.0
"""A target construct that begins or ends in a program of clang's: at a call for a device, or at the
function that the host executes where there is none (native/src/recovery/target_functions.hpp)."""

from __future__ import annotations

from typing import Callable, Optional

import gdb

from ..host.selection import frames_from
from ..model import Event, EventKind, Location
from ..host.sessions.session import Session
from .event_stack import read_register

OfCall = Callable[[int, str, Optional[gdb.Frame]], Optional[Location]]
OfRoutine = Callable[[int], Location]
MASK = 0xFFFFFFFF  # what a call for a device answers has 32 bits, and is 0 where it was done


class TargetMoment:
    """One event, at which the selected thread stands now."""

    def __init__(
        self, event: str, session: Session, of_call: OfCall, of_routine: OfRoutine
    ) -> None:
        self.event = event
        self._session = session
        self._of_call = of_call
        self._of_routine = of_routine
        code, _ = session.places()
        self._frame = gdb.newest_frame()
        caller = next(frames_from(self._frame.older()), None)
        is_users = caller is not None and code.is_user(caller.pc())
        # The user's frame that has made the call; None where a library has passed it on.
        self.user: Optional[gdb.Frame] = caller if is_users else None
        self._is_region = code.is_user(self._frame.pc())

    def counts(self) -> bool:
        """Tell whether a construct begins or ends, and neither has been counted before."""
        ends = self.event.endswith("-end")
        if self.user is None:
            return self._is_region
        if ends:
            return self._is_region or read_register(self._frame, "rax") & MASK == 0
        calls = self._session.fresh_wait_reader()
        call = calls.call_before(self.user.pc())
        if self._is_region:
            return not call.is_instead_of_device
        # One of these functions may go on to another by a jump.
        return call.entry_point == calls.at(self._frame.pc()).entry_point

    def place(self) -> Optional[Location]:
        """Return the construct, None where it cannot be known."""
        calls = self._session.fresh_wait_reader()
        around = calls.at(self._frame.pc())
        if self._is_region:
            function = around.function
            start = function.start if function is not None else None
            return self._of_routine(start) if start is not None else None
        if self.user is None or around.entry_point is None:
            return None
        found = self._of_call(self.user.pc(), around.entry_point, self.user)
        # Clang 19 has the call in the line of the block around it.
        line = calls.call_before(self.user.pc()).region_line
        if found is None or found.line is None or line is None:
            return found
        return found._replace(line=line)

    def facts(self) -> Event:
        """Return what begins or ends."""
        return Event(self.event, EventKind.TARGET, self.place())
