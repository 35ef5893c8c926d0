# SPDX-License-Identifier: Apache-2.0
"""What must be there before a command lets the program run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gdb

from ..errors import NoProcess, OmpdToolError, ThreadRuns
from ..stop.registry import session_of
from ..host.selection import connection_type, selected_thread

if TYPE_CHECKING:
    from ..stop.session import Session


def resumable_session() -> "Session":
    """Return the selected inferior's session, if its selected thread can be resumed."""
    inferior, thread = gdb.selected_inferior(), selected_thread()
    if not inferior.threads():
        raise NoProcess()
    if connection_type(inferior) == "core":
        raise OmpdToolError("a core file cannot be resumed: run the program to step through it")
    if thread is None or not thread.is_valid():
        raise OmpdToolError("no thread is selected: 'thread NUM' selects one")
    if thread.is_running():
        raise ThreadRuns(thread.num)
    return session_of(inferior)
