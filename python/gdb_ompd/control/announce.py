# SPDX-License-Identifier: Apache-2.0
"""At an event breakpoint's stop: say what begins or ends, and select the user's code.

GDB's own print of the runtime's frame is switched off, so that the user sees which breakpoint
was hit, what it means and the frame of the construct. Scripts find the same in ``$_omp_event``,
``$_omp_event_function`` and ``$_omp_event_requested``, void at all other stops.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Union

import gdb

from .._native import unbroken
from ..host.charset import decoded, stored
from ..errors import printable
from ..host.selection import numbers_are_qualified, setting
from ..stop.registry import all_sessions
from . import event_breakpoint

if TYPE_CHECKING:
    from ..render.style import Style

VARIABLES = ("_omp_event", "_omp_event_function", "_omp_event_requested")

_at_event = False
_in_call = False  # GDB resumes the program for a call, and it comes back to the stop
_style: Callable[[], "Style"]


@unbroken
def stopped(stop: "gdb.StopEvent") -> None:
    """Look at a stop: it is an event's if one of our breakpoints was hit."""
    if _in_call:
        return
    _leave_event()
    for breakpoint in getattr(stop, "breakpoints", ()):
        event = event_breakpoint.event_of(breakpoint)
        if event is not None:
            _announce(event, breakpoint)
            return


def _announce(name: str, breakpoint: gdb.Breakpoint) -> None:
    """Report one event; with ``silent`` in the user's commands without a word."""
    global _at_event
    from ..render import event as render
    from . import condition

    # GDB runs the breakpoint's commands at the end of any gdb.execute(), which setting
    # another charset is: only where a name needs that.
    event, frame = decoded(functools.partial(condition.read, name))
    _at_event = True
    function = event.place.function if event.place is not None else None
    for variable, fact in zip(VARIABLES, (name, function, event.requested)):
        gdb.set_convenience_variable(variable, _value(fact) if fact is not None else None)
    quiet = event_breakpoint.is_quiet(breakpoint)
    if not quiet:
        hit = f"{_hit(breakpoint)}\n" if breakpoint.silent else ""
        gdb.write(f"{hit}{render.line(event, _style())}\n")
    if frame is not None:
        frame.select()
    if breakpoint.silent and not quiet:
        _print_frame()


def _hit(breakpoint: gdb.Breakpoint) -> str:
    """Say which breakpoint was hit, and in a program of several threads by which, as GDB does."""
    kind = "Temporary breakpoint" if breakpoint.temporary else "Breakpoint"
    thread = gdb.selected_thread()
    if thread is None or all(one.num == 1 for one in thread.inferior.threads()):
        return f"\n{kind} {breakpoint.number}"
    number = f"{thread.inferior.num}.{thread.num}" if numbers_are_qualified() else thread.num
    name = "" if thread.name is None else f' "{printable(thread.name)}"'
    return f"\nThread {number}{name} hit {kind} {breakpoint.number}"


def _print_frame() -> None:
    """Print the selected frame as GDB does at a stop, not as a command of the user's."""
    if gdb.parameter("trace-commands"):
        with setting("trace-commands", False):
            gdb.execute("frame")
    else:
        gdb.execute("frame")


@functools.lru_cache(maxsize=1024)
def _value(fact: Union[str, int]) -> gdb.Value:
    """Return a fact as GDB's value, the same each time: GDB never frees the type that
    it makes for a string."""
    return stored(fact) if isinstance(fact, str) else gdb.Value(fact)


@unbroken
def went_on(_event: Any) -> None:
    """The program was resumed: what was at the event is no more."""
    if not _in_call:
        _leave_event()


@unbroken
def _called(event: Any) -> None:
    global _in_call
    _in_call = isinstance(event, gdb.InferiorCallPreEvent)


def _leave_event() -> None:
    global _at_event
    if not _at_event:
        return
    _at_event = False
    for variable in VARIABLES:
        gdb.set_convenience_variable(variable, None)
    for session in all_sessions():
        session.leave_event()


def current_style() -> "Style":
    """Return the style that GDB has now."""
    return _style()


def connect(style: Callable[[], "Style"]) -> None:
    """Listen to stops, after those who drop what was read at the stop before. STYLE
    returns the style that GDB has now."""
    global _style
    _style = style
    gdb.events.stop.connect(stopped)
    gdb.events.cont.connect(went_on)
    gdb.events.inferior_call.connect(_called)
