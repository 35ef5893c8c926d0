# SPDX-License-Identifier: Apache-2.0
"""GDB's events: when what was read of an inferior stops being true; and at an event breakpoint's
stop, what begins or ends is said and the user's code selected.

GDB's own print of the runtime's frame is switched off there, so that the user sees which
breakpoint was hit, what it means and the frame of the construct. Scripts find the same in
``$_omp_event``, ``$_omp_event_function`` and ``$_omp_event_requested``, void at all other stops.
"""

from __future__ import annotations

import functools
from typing import Any, Optional, Union

import gdb

from .._native import unbroken
from ..errors import printable
from ..host import fatal_signals, moments, parameters
from ..host.charset import decoded, stored
from ..host.selection import connection_type, number_prefix, selected_thread, thread_number
from ..host.sessions.registry import all_sessions, attach_by, drop_session
from . import attach, event_breakpoint
from .hits import Hits
from .shown_frame import show_frame

VARIABLES = ("_omp_event", "_omp_event_function", "_omp_event_requested")

_at_event = False
_in_call = False  # GDB resumes the program for a call, and it comes back to the stop
_hits: Optional[Hits] = None  # as they were at the last stop of this run


@unbroken
def stopped(stop: "gdb.StopEvent") -> None:
    """Look at a stop: it is an event's if one of our breakpoints was hit."""
    global _hits
    if _in_call:
        return
    _leave_event()
    before, _hits = _hits or Hits(of_run=True), Hits()
    for breakpoint in getattr(stop, "breakpoints", ()):
        event = event_breakpoint.event_of(breakpoint)
        if event is not None and before.has_stopped(breakpoint):
            _announce(event, breakpoint)
            return


def _announce(name: str, breakpoint: gdb.Breakpoint) -> None:
    """Report one event; with ``silent`` in the user's commands without a word."""
    global _at_event
    from ..render import event as render
    from . import condition
    from .styles import current_style

    # GDB runs the breakpoint's commands at the end of any gdb.execute(), which setting
    # another charset is: only where a name needs that.
    event, frame = decoded(functools.partial(condition.read, name))
    _at_event = True
    function = event.place.function if event.place is not None else None
    for variable, fact in zip(VARIABLES, (name, function, event.requested)):
        gdb.set_convenience_variable(variable, _value(fact) if fact is not None else None)
    quiet = event_breakpoint.is_quiet(breakpoint)
    if not quiet:
        hit = f"{_hit(breakpoint)}\n" if breakpoint.silent else ""
        gdb.write(f"{hit}{render.line(event, current_style(), number_prefix())}\n")
    if frame is not None:
        frame.select()
    if breakpoint.silent and not quiet:
        show_frame()


def _hit(breakpoint: gdb.Breakpoint) -> str:
    """Say which breakpoint was hit, and in a program of several threads by which, as GDB does."""
    kind = "Temporary breakpoint" if breakpoint.temporary else "Breakpoint"
    thread = selected_thread()
    if thread is None or all(one.num == 1 for one in thread.inferior.threads()):
        return f"\n{kind} {breakpoint.number}"
    name = "" if thread.name is None else f' "{printable(thread.name)}"'
    return f"\nThread {thread_number(thread)}{name} hit {kind} {breakpoint.number}"


@functools.lru_cache(maxsize=1024)
def _value(fact: Union[str, int]) -> gdb.Value:
    """Return a fact as GDB's value, the same each time: GDB never frees the type that
    it makes for a string."""
    return stored(fact) if isinstance(fact, str) else gdb.Value(fact)


@unbroken
def went_on(_event: Any) -> None:
    """The program was resumed: what was at the event is no more."""
    global _hits
    if _hits is not None and _hits.were_cleared():
        _hits = None
    if not _in_call:
        _leave_event()


@unbroken
def _modified(breakpoint: gdb.Breakpoint) -> None:
    if _hits is not None:
        _hits.note_ignore(breakpoint)


@unbroken
def _called(event: Any) -> None:
    global _in_call
    _in_call = isinstance(event, gdb.InferiorCallPreEvent)


def _leave_event() -> None:
    global _at_event
    if not _at_event:
        return
    _at_event = False
    for variable in VARIABLES:
        gdb.set_convenience_variable(variable, None)
    for session in all_sessions():
        session.leave_event()


def announce() -> None:
    """Listen to stops, after those who drop what was read at the stop before."""
    gdb.events.stop.connect(stopped)
    gdb.events.cont.connect(went_on)
    gdb.events.inferior_call.connect(_called)
    gdb.events.breakpoint_modified.connect(_modified)


@unbroken
def _end_stops(_event: Any = None) -> None:
    moments.between_questions(_end_all)


def _end_all() -> None:
    for session in all_sessions():
        session.end_stop()


@unbroken
def _stopped(event: Any) -> None:
    moments.begin_another()
    fatal_signals.note_stop(event)
    _end_stops()


@unbroken
def _forget_files(_event: Any = None) -> None:
    moments.between_questions(_forget_all)


def _forget_all() -> None:
    for session in all_sessions():
        session.forget_files()


@unbroken
def _exited(event: "gdb.ExitedEvent") -> None:
    _forget_files(event)
    fatal_signals.forget(event.inferior)
    if connection_type(event.inferior) == "core":
        # GDB 16 reads the stacks of a process's next core from what it kept of this one.
        gdb.execute("maintenance flush dcache", to_string=True)


@unbroken
def _new_objfile(event: "gdb.NewObjFileEvent") -> None:
    _forget_files(event)
    decoded(lambda: attach.objfile_loaded(event.new_objfile))
    decoded(lambda: attach.starts_with(event.new_objfile))


@unbroken
def _objfile_freed(event: "gdb.FreeObjFileEvent") -> None:
    _forget_files(event)
    decoded(lambda: attach.objfile_freed(event.objfile))


@unbroken
def _inferior_deleted(event: "gdb.InferiorDeletedEvent") -> None:
    drop_session(event.inferior)


def connect() -> None:
    """Listen to GDB."""
    events = gdb.events
    # What was read in a breakpoint's condition is of a moment before the stop:
    # no event tells that the program was resumed when the condition was false.
    events.stop.connect(_stopped)
    # GDB resumes threads, calls functions, or the user writes memory or registers.
    moments.forget_by(_end_stops)
    events.inferior_call.connect(_end_stops)
    events.memory_changed.connect(_end_stops)
    events.register_changed.connect(_end_stops)
    # The process, or what it has mapped, or what serves it, is another one.
    parameters.choice_changed_by(_forget_files)
    events.exited.connect(_exited)
    events.clear_objfiles.connect(_forget_files)
    if hasattr(events, "free_objfile"):
        events.free_objfile.connect(_objfile_freed)
    else:  # GDB 11 and earlier do not tell: each stop may be after a library was closed
        events.stop.connect(_forget_files)
    events.new_objfile.connect(_new_objfile)
    events.inferior_deleted.connect(_inferior_deleted)
    events.breakpoint_deleted.connect(attach.breakpoint_deleted)
    attach_by(attach.mapped)
    # The runtime may be loaded already, and not have started.
    decoded(attach.all_loaded)
    for objfile in gdb.objfiles():
        decoded(lambda: attach.starts_with(objfile))
