# SPDX-License-Identifier: Apache-2.0
"""Setting an event breakpoint, and what to tell the user about it."""

from __future__ import annotations

from typing import Iterator, Optional

import gdb

from ..errors import NoProcess, OmpdToolError
from ..providers.ompd.provider import OmpdProvider
from ..registry import session_of
from . import event_breakpoint


def lines(
    command: str, event: str, location: str, thread: Optional[str], condition: str
) -> Iterator[str]:
    """Make an event breakpoint by GDB's COMMAND; yield what is to be said of it."""
    made = event_breakpoint.create(command, event, location, thread, condition)
    kind = "Temporary breakpoint" if made.temporary else "Breakpoint"
    where = f" in {location}" if location and ":" not in location else ""
    where = where or (f" at {location}" if location else "")
    pending = " (pending)" if made.pending else ""
    yield f"{kind} {made.number}: OpenMP {event}{where}{pending}"
    yield from _warnings(location)


def _warnings(location: str) -> Iterator[str]:
    """Yield what will keep the breakpoint from stopping the program."""
    if location and not _is_known(location):
        yield f"Nothing is known yet of {location}: the breakpoint waits for it."
    if not gdb.selected_inferior().threads():
        return
    try:
        providers = session_of().providers()
    except (NoProcess, OmpdToolError):
        return
    off = [p for p in providers if isinstance(p, OmpdProvider) and not p.stop().events_enabled]
    if off:
        yield "OMPD events are off in this process: 'ompd enable' switches them on."


def _is_known(location: str) -> bool:
    try:
        return bool(gdb.decode_line(location)[1])
    except gdb.error:
        return False
