# SPDX-License-Identifier: Apache-2.0
"""GDB's events: when what was read of an inferior stops being true."""

from __future__ import annotations

from typing import Any

import gdb

from .._native import unbroken
from ..host import fatal_signals, moments, parameters
from ..host.charset import decoded
from ..stop.registry import all_sessions, attach_by, drop_session
from . import attach


@unbroken
def _end_stop(_event: Any) -> None:
    _end_stops()


def _end_stops() -> None:
    for session in all_sessions():
        session.end_stop()


@unbroken
def _stopped(event: Any) -> None:
    moments.begin_another()
    fatal_signals.note_stop(event)
    _end_stops()


@unbroken
def _forget_files(_event: Any = None) -> None:
    for session in all_sessions():
        session.forget_files()


@unbroken
def _exited(event: "gdb.ExitedEvent") -> None:
    _forget_files(event)
    fatal_signals.forget(event.inferior)
    connection = event.inferior.connection
    if connection is not None and connection.type == "core":
        # GDB 16 reads the stacks of a process's next core from what it kept of this one.
        gdb.execute("maintenance flush dcache", to_string=True)


@unbroken
def _new_objfile(event: "gdb.NewObjFileEvent") -> None:
    _forget_files(event)
    decoded(lambda: _loaded(event.new_objfile))


def _loaded(objfile: gdb.Objfile) -> None:
    attach.objfile_loaded(objfile)
    attach.starts_with(objfile)


@unbroken
def _objfile_freed(event: "gdb.FreeObjFileEvent") -> None:
    _forget_files(event)
    decoded(lambda: attach.objfile_freed(event.objfile))


@unbroken
def _breakpoint_deleted(breakpoint: gdb.Breakpoint) -> None:
    attach.breakpoint_deleted(breakpoint)


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
    events.inferior_call.connect(_end_stop)
    events.memory_changed.connect(_end_stop)
    events.register_changed.connect(_end_stop)
    # The process, or what it has mapped, or what serves it, is another one.
    parameters.choice_changed_by(_forget_files)
    events.exited.connect(_exited)
    events.clear_objfiles.connect(_forget_files)
    events.free_objfile.connect(_objfile_freed)
    events.new_objfile.connect(_new_objfile)
    events.inferior_deleted.connect(_inferior_deleted)
    events.breakpoint_deleted.connect(_breakpoint_deleted)
    attach_by(attach.mapped)
    # The runtime may be loaded already, and not have started.
    decoded(attach.all_loaded)
    for objfile in gdb.objfiles():
        decoded(lambda: attach.starts_with(objfile))
