# SPDX-License-Identifier: Apache-2.0
"""The selected thread, and the runtime that knows it, as memory has them now.

Inside a breakpoint's condition GDB tells nobody that the program ran, and counts
the thread it asks about as running. So nothing here comes from this stop's
snapshot, and no thread is refused because it runs.
"""

from __future__ import annotations

from typing import NamedTuple, Optional, cast

import gdb

from ..model import Thread
from ..errors import NoRuntime, NotInitialized, OmpdToolError
from .._native import NativeThread, ThreadNumbers, ThreadPlace
from ..host.runtimes.provider import Provider
from ..host.sessions.registry import session_of
from ..host.selection import selected_thread


class Current(NamedTuple):
    """The selected thread. PLACE is None for a worker that is in no team."""

    thread: NativeThread
    provider: Provider
    place: Optional[ThreadNumbers]


def place() -> Optional[ThreadNumbers]:
    """Return where the selected thread executes, None outside of OpenMP. Raises
    OmpdToolError where that cannot be known."""
    selected = selected_thread()
    if selected is None:
        return None
    session = session_of()
    detected = session.files.detected()
    if len(detected.providers) != 1:
        found = current()
        own = None if found is None else found.place
    else:
        # What ``current`` comes to, at half its cost: a condition asks thousands of times.
        try:
            own = detected.providers[0].place(session.stopped_thread(selected))
        except NotInitialized:
            return None
    if own is not None:
        return own
    row = listed(locations=False)  # a thread that does not know its own number
    return cast("ThreadNumbers", row) if row is not None and row.level is not None else None


def current() -> Optional[Current]:
    """Return the selected thread, None without one and for one that no OpenMP runtime
    knows. Raises OmpdToolError where that cannot be known."""
    selected = selected_thread()
    if selected is None:
        return None
    session = session_of()
    thread, detected = session.stopped_thread(selected), session.files.detected()
    if len(detected.providers) == 1:
        return _only(thread, detected.providers[0])
    if not detected.providers:
        # A runtime may be mapped and not be seen.
        why = detected.why_none()
        if detected.unreadable or (detected.why_nothing and not isinstance(why, NotInitialized)):
            raise why
    return _deepest(thread, detected.providers)


def read_anew() -> None:
    """Drop all that was read at this stop: it need not fit what is read now."""
    session_of(gdb.selected_inferior()).end_stop()


def stack_place(found: Current) -> ThreadPlace:
    """Return what the thread's stack shows now; nothing of a thread that runs."""
    number = found.thread.gdb_num
    return session_of(gdb.selected_inferior()).fresh_stacks().places([number])[number]


def listed(locations: bool) -> Optional[Thread]:
    """Return the selected thread's row in a listing. A worker that has not run yet is recognised by
    what others keep of it. Others' stacks tell whether one has begun its region. That is too much
    to read in a condition, where the thread counts as running."""
    selected = selected_thread()
    if selected is None or selected.is_running():
        return None
    try:
        rows = session_of().threads(locations)
    except (NoRuntime, NotInitialized):
        return None
    return next((row for row in rows if row.gdb_num == selected.num), None)


def _only(thread: NativeThread, provider: Provider) -> Optional[Current]:
    try:
        return _known(thread, provider)
    except NotInitialized:
        return None


def _deepest(thread: NativeThread, providers: tuple[Provider, ...]) -> Optional[Current]:
    """Ask every runtime. Of two that know the thread, the one in which it is deeper has
    it: a region that it has begun waits for those that it begins in it."""
    found: list[Current] = []
    problem: Optional[OmpdToolError] = None
    for provider in providers:
        try:
            known = _only(thread, provider)
        except OmpdToolError as error:
            problem = problem or error
            continue
        if known is not None:
            found.append(known)
    if not found and problem is not None:
        raise problem
    return max(found, key=_depth) if found else None


def _depth(found: Current) -> int:
    return -1 if found.place is None else found.place.level


def _known(thread: NativeThread, provider: Provider) -> Optional[Current]:
    place = provider.place(thread)
    if place is None and not provider.knows(thread):
        return None
    return Current(thread, provider, place)
