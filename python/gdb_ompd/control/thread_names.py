# SPDX-License-Identifier: Apache-2.0
"""`set ompd thread-names on`: GDB's own lists of threads say what each does in OpenMP.

The names are GDB's, as those of its command "thread name": nothing is written into the program.
They are of one stop, and taken back when the program goes on.
"""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Optional

import gdb

from .._native import unbroken
from ..errors import OmpdToolError
from ..host import moments, parameters
from ..host.charset import any_name
from ..host.selection import threads_of


class _Given(NamedTuple):
    """The name that a thread was given here, and the one that the user had given it."""

    name: str
    users: Optional[str]


_given: dict[int, _Given] = {}  # by GDB's global number of the thread
_is_on = False
_named_at = -1  # the moment


def register() -> None:
    """Have the setting work."""
    moments.forget_by(_take_back)
    parameters.names_switched_by(_switch)


def _switch(on: bool) -> None:
    global _is_on
    if on == _is_on:
        return
    _is_on = on
    for event in _events():
        (event.connect if on else event.disconnect)(_follow)
    if on:
        _follow()
    else:
        _take_back()


def _events() -> Iterator[Any]:
    """Yield what tells that threads may have to be named: a stop, and for cores, that stop at no
    event of GDB before 18, the prompt."""
    yield gdb.events.stop
    yield gdb.events.before_prompt
    if hasattr(gdb.events, "corefile_changed"):
        yield gdb.events.corefile_changed


@unbroken
def _follow(_event: Any = None) -> None:
    """Name the threads of all inferiors, once at each stop."""
    global _named_at
    if _named_at == moments.moment and _given:
        return
    _named_at = moments.moment
    for inferior in gdb.inferiors():
        if threads_of(inferior):
            _name_all(inferior)


def _name_all(inferior: gdb.Inferior) -> None:
    """Name the threads of INFERIOR; where nothing can be read they keep their own names."""
    from ..render.threads import name
    from ..host.sessions.answering import answered
    from ..host.sessions.registry import session_of

    with any_name():
        try:
            found = answered(session_of(inferior).threads)
        except (OmpdToolError, gdb.error):
            return
        said = {thread.gdb_num: name(thread) for thread in found}
        for thread in threads_of(inferior):
            if said.get(thread.num):
                _give(thread, said[thread.num])


def _give(thread: gdb.InferiorThread, said: str) -> None:
    """Name THREAD by what is SAID of it, before its own name, or the one that the user has given."""
    before = _given.get(thread.global_num)
    shown = thread.name
    thread.name = None
    own = thread.name
    users = None
    if before is not None and shown == before.name:
        users = before.users
    elif shown != own:
        users = shown
    base = users or own
    given = f"{said} [{base}]" if base else said
    thread.name = given
    _given[thread.global_num] = _Given(given, users)


def _take_back() -> None:
    """Put the names back, unless the user has given another since."""
    if not _given:
        return
    with any_name():
        for thread in (each for inferior in gdb.inferiors() for each in threads_of(inferior)):
            given = _given.get(thread.global_num)
            if given is not None and thread.name == given.name:
                thread.name = given.users
    _given.clear()
