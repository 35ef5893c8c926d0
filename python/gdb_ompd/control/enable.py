# SPDX-License-Identifier: Apache-2.0
"""Switching OMPD's events on and off in a program that runs already."""

from __future__ import annotations

from typing import Iterator

import gdb

from ..errors import OmpdToolError
from ..host.selection import connection_type
from ..model import ThreadKind
from ..providers.ompd.gnu import LibgompProvider
from ..providers.ompd.llvm import LlvmProvider
from ..stop.registry import session_of
from ..stop.session import Session


def enable() -> Iterator[str]:
    """Switch events on in every runtime of the selected inferior.

    Yields what to tell the user. Raises OmpdToolError where there is none, and the
    debugger's own error where memory cannot be written (a core file).
    """
    session = session_of()
    was_inside = _in_regions(session)
    for provider in _providers(session):
        provider.set_events(True)
        yield f"OMPD events are on in {provider.file}."
    session.end_stop()
    if was_inside:
        yield "They are complete from the next outermost parallel region on."


def disable() -> Iterator[str]:
    """Switch events off. The runtime goes on to keep records for tools: to stop that
    in the middle of a region would damage the program (reference: ompd.md, 5)."""
    session = session_of()
    for provider in _providers(session):
        provider.set_events(False)
        yield f"OMPD events are off in {provider.file}."
    session.end_stop()


def _providers(session: Session) -> list[LlvmProvider]:
    if connection_type(gdb.selected_inferior()) == "core":
        raise OmpdToolError("a core file's events cannot be switched: that needs a process")
    found = [each for each in session.providers() if isinstance(each, LlvmProvider)]
    if not found:
        providers = session.providers()
        files = ", ".join(each.file for each in providers)
        why = "only LLVM's runtime has any"
        if any(isinstance(each, LibgompProvider) for each in providers):
            why = "'ompd break' works without"
        raise OmpdToolError(f"there are no events to switch in {files}: {why}")
    return found


def _in_regions(session: Session) -> bool:
    """Tell whether a thread is inside a region that began while events were off."""
    if all(provider.events_enabled() for provider in _providers(session)):
        return False
    threads = session.threads(locations=False)
    return any(t.level and t.kind is not ThreadKind.NATIVE for t in threads)
