# SPDX-License-Identifier: Apache-2.0
"""Setting an event breakpoint, and what to tell the user about it."""

from __future__ import annotations

from typing import Iterator, Optional

import gdb

from ..errors import NoSymbols, OmpdToolError
from ..providers.ompd.provider import OmpdProvider
from ..stop.registry import session_of
from . import event_breakpoint, where
from .event_names import EXPORTED, function_of

NO_NAMES = (
    "the OpenMP runtime is stripped of the functions it calls at events, so that the"
    " program cannot be stopped at {event}: 'ompd status' says how to have its symbols"
)


def lines(
    command: str, event: str, location: str, thread: Optional[str], condition: str
) -> Iterator[str]:
    """Make an event breakpoint by GDB's COMMAND; yield what is to be said of it.

    Raises NoSymbols where the process's runtime does not name the event's function,
    nor exports another that is called then.
    """
    made = event_breakpoint.create(command, event, location, thread, condition)
    exported = None
    if made.pending and _is_nameless():
        made.delete()
        exported = EXPORTED.get(event)
        if exported is None:
            raise NoSymbols(NO_NAMES.format(event=event))
        made = event_breakpoint.create(command, event, location, thread, condition, exported)
    kind = "Temporary breakpoint" if made.temporary else "Breakpoint"
    pending = " (pending)" if made.pending else ""
    yield f"{kind} {made.number}: OpenMP {event}{_place(location)}{pending}"
    if exported is not None:
        yield (
            f"The runtime is stripped: it stops where {exported} begins, and not at regions"
            ' whose "if" clause is false.'
        )
    yield from _warnings(location)


def _place(location: str) -> str:
    if not location:
        return ""
    return f" in {location}" if where.parse(location).line is None else f" at {location}"


def event_problems() -> list[str]:
    """Return what keeps event breakpoints from working in the selected inferior."""
    if not _is_nameless():
        return []
    return [
        "Event breakpoints: parallel-begin only, at the exported "
        + EXPORTED["parallel-begin"]
        + "; tasks, threads and ends of regions need the runtime's symbols."
    ]


def _is_nameless() -> bool:
    """Tell whether a runtime is mapped, and GDB knows no event function in any."""
    if not gdb.selected_inferior().threads():
        return False
    try:
        detected = session_of().detected()
    except OmpdToolError:
        return False
    if not any(isinstance(each, OmpdProvider) for each in detected.providers):
        return False
    try:
        return not gdb.decode_line(function_of("parallel-begin"))[1]
    except gdb.error:
        return True


def _warnings(location: str) -> Iterator[str]:
    """Yield what will keep the breakpoint from stopping the program."""
    if location and not _is_known(location):
        yield f"Nothing is known yet of {location}: the breakpoint waits for it."
    if not gdb.selected_inferior().threads():
        return
    try:
        providers = session_of().providers()
    except OmpdToolError:
        return
    off = [p for p in providers if isinstance(p, OmpdProvider) and not p.stop().events_enabled]
    if off:
        yield "OMPD events are off in this process: 'ompd enable' switches them on."


def _is_known(location: str) -> bool:
    try:
        return bool(gdb.decode_line(location)[1])
    except gdb.error:
        return False
