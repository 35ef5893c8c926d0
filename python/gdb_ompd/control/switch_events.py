# SPDX-License-Identifier: Apache-2.0
"""Switching OMPD's events on and off in a program that runs already.

LLVM's runtime keeps records for tools once its events are on. In the middle of a construct that
kills the program: at the end the runtime reads variables that it sets at the begin.
"""

from __future__ import annotations

from typing import Iterable, Iterator

import gdb

from ..errors import OmpdToolError
from ..explain.phrases import named
from ..host.selection import connection_type, frames_from, kept_selection, threads_of
from ..model import TaskKind, Thread, ThreadKind
from ..host.runtimes.provider import Provider
from ..host.sessions.registry import session_of
from ..host.sessions.session import Session

ONLY_OUTSIDE = (
    "OMPD events cannot be switched on now, or the program could crash: {threads} may be in a"
    " region or in the runtime. Do it at a stop outside of all regions, or start the program with"
    " OMP_DEBUG=enabled"
)
# Why unwinding ends where the stack does; it ends at main for no reason.
ENDS = (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST)


def switch(on: bool) -> Iterator[str]:
    """Switch events on or off in every runtime of the selected inferior. Off, the runtime goes on
    to keep records for tools: to stop that in the middle of a region would damage the program.

    Yields what to tell the user. Raises OmpdToolError where there is none or it could do harm, and
    the debugger's own error where memory cannot be written (a core file).
    """
    session = session_of()
    for provider in _providers(session):
        switch_in(session, provider, on)
        yield f"OMPD events are {'on' if on else 'off'} in {provider.file}."


def switch_in(session: Session, provider: Provider, on: bool) -> None:
    """Switch events on or off in one runtime. Raises OmpdToolError where it could do harm."""
    if on and not provider.runtime.keeps_records():
        inside = {t.gdb_num for t in session.threads(locations=False) if _is_in_construct(t)}
        with kept_selection():
            inside |= set(_may_be_called(session, threads_of(gdb.selected_inferior())))
        if inside:
            raise OmpdToolError(ONLY_OUTSIDE.format(threads=named(inside)))
    provider.runtime.set_events(on)
    session.end_stop()


def _is_in_construct(thread: Thread) -> bool:
    """Tell whether a thread is in a region or in an explicit task, or is not known."""
    if thread.kind is ThreadKind.NATIVE:
        return False
    return bool(thread.error or thread.level) or thread.task is TaskKind.EXPLICIT


def _may_be_called(session: Session, threads: Iterable[gdb.InferiorThread]) -> Iterator[int]:
    """Yield the numbers of the threads whose user code may be in a call of a runtime's. Leaves
    another thread selected."""
    code = session.code_map()
    for thread in threads:
        if thread.is_running():
            yield thread.num
            continue
        thread.switch()
        frames = list(frames_from(gdb.newest_frame()))
        called = [code.code_at(frame.pc()) for frame in frames]
        # Past an error there may be any code.
        is_cut = frames[-1].unwind_stop_reason() not in ENDS
        if is_cut or ("runtime" in called and "user" in called[called.index("runtime") :]):
            yield thread.num


def _providers(session: Session) -> list[Provider]:
    if connection_type(gdb.selected_inferior()) == "core":
        raise OmpdToolError("a core file's events cannot be switched: that needs a process")
    found = [each for each in session.providers() if each.traits.has_switch]
    if not found:
        providers = session.providers()
        files = ", ".join(each.file for each in providers)
        why = "only LLVM's runtime has any"
        if any(each.traits.has_places for each in providers):
            why = "'ompd break' works without"
        raise OmpdToolError(f"there are no events to switch in {files}: {why}")
    return found
