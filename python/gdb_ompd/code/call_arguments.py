# SPDX-License-Identifier: Apache-2.0
"""The arguments with which the user's code called an entry point of the runtime."""

from __future__ import annotations

from typing import Any, Callable, Optional

import gdb

from .. import _native
from .arguments import CallSite
from .instructions import ARGUMENTS, CALLEE_SAVED
from ..host.protocols import READ_ERRORS
from .user_calls import Called, MAX_TAIL_CALLS, UserCalls, preserved


class CallArguments:
    """Reads arguments, on the machines whose code can be read."""

    def __init__(self, space: _native.AddressSpace, machine: str, calls: UserCalls) -> None:
        self._space = space
        self._machine = machine
        self._calls = calls
        self.thread_reads = 0  # how often an answer has hung on a thread's registers or memory
        self._constants: dict[tuple[int, int], int] = {}  # by return address and number

    def end_stop(self) -> None:
        """Forget what memory said."""
        self._constants.clear()

    def read(self, number: int, called: Called, user: Optional[gdb.Frame]) -> Optional[int]:
        """Return an argument of the call of an entry point from USER's frame, or from the
        functions without a frame in between; None if it cannot be told."""
        if self._machine != "x86-64":
            return None
        if called.through:
            self.thread_reads += 1
        else:
            return None if user is None else self._of_call(number, user, 0)
        if number >= len(ARGUMENTS):
            return None

        def passed(position: int, register: str) -> Optional[int]:
            """Return a register as the function at POSITION of the chain got it."""
            if register in CALLEE_SAVED:
                return None
            if position < 0:
                if register not in ARGUMENTS or user is None:
                    return None  # the runtime called it
                return self._of_call(ARGUMENTS.index(register), user, 0)
            following = (*called.through, None)[position + 1]
            code = self._calls.function(called.through[position])
            if code is None or register not in ARGUMENTS:
                return None
            values = {
                CallSite(
                    code.flow,
                    index,
                    lambda _: None,
                    self._memory,
                    lambda name: passed(position - 1, name),
                ).argument(ARGUMENTS.index(register))
                for index in self._calls.jumps_to(code, following, called.entry_point)
            }
            return values.pop() if len(values) == 1 else None

        return passed(len(called.through) - 1, ARGUMENTS[number])

    def _of_call(self, number: int, frame: gdb.Frame, depth: int) -> Optional[int]:
        site = frame.pc(), number
        if site in self._constants:
            return self._constants[site]
        code = self._calls.function(site[0] - 1)
        index = code.call_before(site[0]) if code is not None else None
        if code is None or index is None:
            return None
        asked: set[str] = set()

        def noting(name: str, read: Callable[..., Optional[int]]) -> Callable[..., Optional[int]]:
            def noted(*arguments: Any) -> Optional[int]:
                asked.add(name)
                return read(*arguments)

            return noted

        def at_entry(name: str) -> Optional[int]:
            return self._at_entry(name, frame, code.start if code is not None else 0, depth)

        value = CallSite(
            code.flow,
            index,
            noting("register", preserved(frame)),
            noting("memory", self._memory),
            noting("entry", at_entry),
        ).argument(number)
        if asked:
            self.thread_reads += 1
        elif value is not None:
            self._constants[site] = value
        return value

    def _at_entry(self, name: str, frame: gdb.Frame, start: int, depth: int) -> Optional[int]:
        """Return an argument of FRAME's function, from the call in its caller."""
        caller = frame.older()
        while caller is not None and caller.pc() == frame.pc():
            caller = caller.older()  # it is inlined there
        if caller is None or name not in ARGUMENTS or depth == MAX_TAIL_CALLS:
            return None
        if not self._calls.is_user(caller.pc()):
            return None
        if not self._calls.calls_function(caller.pc(), start):
            return None
        return self._of_call(ARGUMENTS.index(name), caller, depth + 1)

    def _memory(self, address: int, size: int) -> Optional[int]:
        try:
            return self._space.read_uint(address, size)
        except READ_ERRORS:
            return None
