# SPDX-License-Identifier: Apache-2.0
"""OpenMP for GDB, through OMPD.

In GDB, after ``source gdb-scripts/ompd.py``:

    import gdb_ompd
    snapshot = gdb_ompd.snapshot()

returns the selected inferior's threads and regions as plain values
(``gdb_ompd.model``); ``gdb_ompd.inquiry`` asks for single facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Snapshot

__version__ = "0.2.0"


def snapshot(locations: bool = True) -> "Snapshot":
    """Return the selected inferior at this stop, as a ``gdb_ompd.model.Snapshot``.

    LOCATIONS says whether stacks are unwound for where threads are. Raises a
    subclass of ``gdb_ompd.errors.OmpdToolError`` whose text says what to do.
    """
    from .host.sessions.answering import answered
    from .host.sessions.registry import session_of

    return answered(lambda: session_of().snapshot(locations))


def register() -> None:
    """Add commands, settings and event handlers to this GDB; once is enough, unless
    something else has taken the commands' names since."""
    global _registered
    from . import commands, control, functions
    from .commands import front_ends
    from .host import parameters

    if _registered:
        if not commands.are_known():
            commands.register()
        return
    parameters.register()
    front_ends.register(commands.register())
    functions.register()
    control.register()
    _registered = True


_registered = False
