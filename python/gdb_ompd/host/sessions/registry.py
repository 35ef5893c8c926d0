# SPDX-License-Identifier: Apache-2.0
"""The sessions that exist, by inferior.

What answers questions is imported with the first session: GDB's start does not
wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Optional

import gdb

if TYPE_CHECKING:
    from ..modules import MappedModule
    from .session import Session

_sessions: dict[int, "Session"] = {}
_attach: list[Callable[["MappedModule"], Optional[str]]] = []


def session_of(inferior: Optional[gdb.Inferior] = None) -> "Session":
    """Return the session of INFERIOR, the selected one if none is named."""
    chosen = inferior or gdb.selected_inferior()
    if chosen.num not in _sessions:
        from .session import Session

        _sessions[chosen.num] = Session(chosen, _attached)
    return _sessions[chosen.num]


def all_sessions() -> list["Session"]:
    """Return the sessions that exist."""
    return list(_sessions.values())


def drop_session(inferior: gdb.Inferior) -> None:
    """Forget an inferior that GDB has removed."""
    session = _sessions.pop(inferior.num, None)
    if session is not None:
        session.end_stop()


def attach_by(attach: Callable[["MappedModule"], Optional[str]]) -> None:
    """Have ATTACH give GDB the symbols of each runtime without any that a session finds, and return
    their file."""
    _attach.append(attach)


def _attached(module: "MappedModule") -> Optional[str]:
    """Give GDB the symbols of the stripped runtime MODULE; return the file that has them, None if
    there are none."""
    return next(filter(None, [attach(module) for attach in _attach]), None)
