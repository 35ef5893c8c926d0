# SPDX-License-Identifier: Apache-2.0
"""Event breakpoints: GDB's own, by the event function's name, with our filter.

GDB refuses a user's condition beside a Python ``stop()``, and does not save such
breakpoints. So the filter is the condition, which is also what an event
breakpoint is known by, and a condition typed later is joined to it.
"""

from __future__ import annotations

import functools
import re
from typing import Optional

import gdb

from .._native import unbroken
from ..errors import NotFound, OmpdToolError, UsageError
from ..host.charset import decoded, sayable, string_of
from ..host.flush_help import HelpedFunction
from ..host.front_end import is_machine_interface
from ..host.selection import decode_line, setting
from ..host.runtimes.event_functions import (
    BREAKPOINT_FUNCTIONS,
    LEAGUE_FUNCTIONS,
    TARGET_FUNCTIONS,
    announced_as,
    mangled,
)

# Every name that an event goes by. The first are ours; the 2014 report's (Eichenberger et al.,
# section "breakpoints") and OMPD's own (OpenMP 5.0, section 5.6) are taken, too.
EVENTS = (*BREAKPOINT_FUNCTIONS, *LEAGUE_FUNCTIONS, *TARGET_FUNCTIONS)

OLDER_NAMES = {
    "parallel_pre_execute": "parallel-begin",
    "parallel_post_execute": "parallel-end",
    "task_pre_execute": "task-begin",
    "task_post_execute": "task-end",
    "ompd_bp_device_begin": "target-begin",  # until OpenMP 6.0
    "ompd_bp_device_end": "target-end",
}

_FUNCTIONS = {**BREAKPOINT_FUNCTIONS, **LEAGUE_FUNCTIONS, **TARGET_FUNCTIONS}
_BY_FUNCTION = {function: event for event, function in _FUNCTIONS.items()} | {
    mangled(function): event for event, function in _FUNCTIONS.items()
}
_BY_NAME = {event: event for event in EVENTS} | OLDER_NAMES | _BY_FUNCTION
FILTER = re.compile(r'^\$_omp_event_at\("(?P<event>[-\w]+)"(, ?"(?P<where>(\\.|[^"\\])*)")?\)')
THREAD = re.compile(r"^((?P<inferior>\d+)\.)?(?P<thread>\d+)$")


def all_names() -> list[str]:
    """Return every name that ``event_named`` takes, ours first; not the mangled ones."""
    return [*EVENTS, *OLDER_NAMES, *_FUNCTIONS.values()]


def event_named(word: str) -> Optional[str]:
    """Return the event that WORD names, None if it names none."""
    return _BY_NAME.get(word)


def function_of(event: str) -> str:
    """Return the runtime's function that is called at EVENT, as GDB's ``break`` takes
    it: LLVM 14 to 16 mangle the name, and GDB finds it all the same."""
    own = LEAGUE_FUNCTIONS.get(event)
    if own is not None and is_known(own):
        return own
    return _FUNCTIONS[announced_as(event)]


def is_known(location: str) -> bool:
    """Tell whether GDB finds code at LOCATION."""
    try:
        return bool(decode_line(location))
    except gdb.error:
        return False


class EventBreakpoint:
    """What is remembered of one, to see what the user or GDB has changed."""

    def __init__(self, event: str, filter_text: str, pending: bool, enabled: bool) -> None:
        self.event = event
        self.filter = filter_text
        self.pending = pending
        self.enabled = enabled


_known: dict[int, EventBreakpoint] = {}


def create(
    command: str,
    event: str,
    location: str,
    thread: Optional[str],
    condition: str,
    function: Optional[str] = None,
) -> gdb.Breakpoint:
    """Make an event breakpoint by GDB's COMMAND, "break" or "tbreak", at the event's
    function if FUNCTION names no other.

    Raises UsageError or NotFound for a thread that is none. The condition is read
    as C whatever the user's language: GDB reads it anew with the language of the
    breakpoint each time a library is loaded.
    """
    arguments = [_quoted(event)] + ([_quoted(location)] if location else [])
    stop_if = f"$_omp_event_at({','.join(arguments)})"
    if condition:
        stop_if += f" && $_omp_user({_quoted(condition)})"
    of_thread = f" thread {_live_thread(thread)}" if thread is not None else ""
    spec = f"{function or function_of(event)}{of_thread} if {stop_if}"
    gdb.execute(f"with language c -- with breakpoint pending on -- {command} {spec}", False, True)
    number = int(gdb.convenience_variable("bpnum"))
    made = next(each for each in gdb.breakpoints() if each.number == number)
    _remember(made, event, f"$_omp_event_at({','.join(arguments)})")
    return made


def _quoted(text: str) -> str:
    """Write TEXT as a C string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _live_thread(text: str) -> str:
    """Check a thread's number as GDB writes them, such as 3 or 2.1: GDB forgets a
    breakpoint's thread when it ends, and takes none that has not begun."""
    match = THREAD.match(text)
    if match is None:
        raise UsageError(f'"{text}" is not a thread number. Try "help ompd break".')
    inferior = int(match.group("inferior") or gdb.selected_inferior().num)
    for each in gdb.inferiors():
        if each.num == inferior:
            if any(thread.num == int(match.group("thread")) for thread in each.threads()):
                return text
    raise NotFound(f"there is no GDB thread {text}: a breakpoint's thread must be alive")


def event_of(breakpoint: gdb.Breakpoint) -> Optional[str]:
    """Return the event that a breakpoint stops at, None for any other breakpoint."""
    known = _known.get(breakpoint.number)
    return known.event if known is not None else None


def _remember(breakpoint: gdb.Breakpoint, event: str, filter_text: str) -> None:
    _known[breakpoint.number] = EventBreakpoint(
        event, filter_text, breakpoint.pending, breakpoint.enabled
    )
    # GDB would show the runtime's frame; a front end needs the whole stop record.
    silent = not is_machine_interface()
    if breakpoint.silent != silent:
        breakpoint.silent = silent


@unbroken
def created(breakpoint: gdb.Breakpoint) -> None:
    """Recognise a breakpoint that a saved script or the user made as ours are."""
    if breakpoint.number > 0 and breakpoint.number not in _known:
        _recognise(breakpoint)


def _recognise(breakpoint: gdb.Breakpoint) -> None:
    """Take note of a breakpoint whose condition begins with our filter."""
    match = FILTER.match(breakpoint.condition or "")
    event = event_named(match.group("event")) if match is not None else None
    if match is not None and event is not None:
        _remember(breakpoint, event, match.group())


@unbroken
def modified(breakpoint: gdb.Breakpoint) -> None:
    """Join a condition that was typed to the filter, and undo GDB's mistakes."""
    known = _known.get(breakpoint.number)
    if known is None:
        created(breakpoint)
        return
    pending, enabled = known.pending, known.enabled
    known.pending, known.enabled = breakpoint.pending, breakpoint.enabled
    condition = breakpoint.condition
    if not breakpoint.pending or condition is not None:
        if condition is None or not condition.startswith(known.filter):
            _join(breakpoint, known.filter, condition)
    if pending and not breakpoint.pending and enabled and not breakpoint.enabled:
        # GDB disables a pending breakpoint whose condition was typed, at the next load.
        breakpoint.enabled = True


def _join(breakpoint: gdb.Breakpoint, filter_text: str, condition: Optional[str]) -> None:
    """Give a breakpoint its filter back, and CONDITION after it.

    A condition that is no C is evaluated as the user's code would.
    """
    with setting("language", "c"):
        if condition is None:
            breakpoint.condition = filter_text
            return
        try:
            breakpoint.condition = f"{filter_text} && ({condition})"
        except gdb.error:
            breakpoint.condition = f"{filter_text} && $_omp_user({_quoted(condition)})"


@unbroken
def deleted(breakpoint: gdb.Breakpoint) -> None:
    """Forget a breakpoint."""
    _known.pop(breakpoint.number, None)


def is_quiet(breakpoint: gdb.Breakpoint) -> bool:
    """Tell whether the user's commands of a breakpoint begin with ``silent``."""
    commands = (breakpoint.commands or "").lstrip()
    return commands.split("\n", 1)[0].strip() == "silent"


def connect() -> None:
    """Listen to what becomes of breakpoints."""
    gdb.events.breakpoint_created.connect(created)
    gdb.events.breakpoint_modified.connect(modified)
    gdb.events.breakpoint_deleted.connect(deleted)


class EventAt(HelpedFunction):
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
            return decoded(functools.partial(event_at, name, where))
        except OmpdToolError as error:
            raise gdb.GdbError(sayable(str(error))) from error


class User(HelpedFunction):
    """Evaluate an expression in the user's code that called the OpenMP runtime.

    Usage: $_omp_user ("EXPRESSION")

    The value that EXPRESSION has in the innermost frame of the selected thread that is neither the
    runtime's nor the system's. There are the program's locals. A breakpoint's own condition sees
    those of the runtime."""

    def __init__(self) -> None:
        super().__init__("_omp_user")

    def invoke(self, expression: gdb.Value) -> gdb.Value:
        """Answer; what is wrong with the expression is GDB's to say."""
        try:
            from .condition import user_value

            value: gdb.Value = decoded(functools.partial(user_value, string_of(expression)))
            return value
        except (OmpdToolError, gdb.error) as error:
            raise gdb.GdbError(sayable(str(error))) from error


def register() -> None:
    """Make the functions known to GDB."""
    EventAt()
    User()
