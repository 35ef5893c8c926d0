# SPDX-License-Identifier: Apache-2.0
"""The convenience functions that event breakpoints' conditions are made of."""

from __future__ import annotations

from functools import partial
from typing import Optional

import gdb

from ..errors import OmpdToolError
from ..host.charset import decoded, sayable, string_of
from .event_names import event_named


class EventAt(gdb.Function):
    """Tell whether the program is at an OpenMP event, for breakpoint conditions.

    Usage: $_omp_event_at ("EVENT" [, "LOCATION"])

    EVENT is one of those "ompd break" takes, LOCATION a function or FILE:LINE:
    then the region's or task's construct must be there.  To be used in the
    condition of a breakpoint at the runtime's event function, as "ompd break"
    does."""

    def __init__(self) -> None:
        super().__init__("_omp_event_at")

    def invoke(self, event: gdb.Value, location: Optional[gdb.Value] = None) -> bool:
        """Answer; a name that is no event is an error."""
        name = event_named(string_of(event))
        if name is None:
            raise gdb.GdbError(f'"{string_of(event)}" is no OpenMP event: see "help ompd break"')
        try:
            from .condition import event_at

            where = string_of(location) if location is not None else ""
            return decoded(partial(event_at, name, where))
        except OmpdToolError as error:
            raise gdb.GdbError(sayable(str(error))) from error


class User(gdb.Function):
    """Evaluate an expression in the user's code that called the OpenMP runtime.

    Usage: $_omp_user ("EXPRESSION")

    The value that EXPRESSION has in the innermost frame of the selected thread
    that is neither the runtime's nor the system's: there are the program's
    locals, where a breakpoint's own condition sees those of the runtime."""

    def __init__(self) -> None:
        super().__init__("_omp_user")

    def invoke(self, expression: gdb.Value) -> gdb.Value:
        """Answer; what is wrong with the expression is GDB's to say."""
        try:
            from .condition import user_value

            value: gdb.Value = decoded(partial(user_value, string_of(expression)))
            return value
        except OmpdToolError as error:
            raise gdb.GdbError(sayable(str(error))) from error


def register() -> None:
    """Make the functions known to GDB."""
    EventAt()
    User()
