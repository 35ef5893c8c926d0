# SPDX-License-Identifier: Apache-2.0
"""What several commands ask of the sessions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Iterable, Sequence

import gdb

from ..errors import NoProcess, NotInitialized, OmpdToolError, ThreadRuns
from ..model import Snapshot, Thread, ThreadKind, may_have_tasks
from ..stop.registry import session_of
from ..host.selection import numbers_are_qualified

if TYPE_CHECKING:
    from ..saved.stop import AnyStop


def threads_of_all_inferiors(locations: bool) -> Snapshot:
    """Return every thread GDB knows, of all inferiors.

    An inferior without OpenMP has its threads shown as they are; if no
    inferior has a runtime that can be read, the selected one's error is raised.
    """
    threads: list[Thread] = []
    notes: list[str] = []
    errors: dict[int, OmpdToolError] = {}
    inferiors = [inferior for inferior in gdb.inferiors() if inferior.threads()]
    if not inferiors:
        raise NoProcess()
    for inferior in inferiors:
        session = session_of(inferior)
        try:
            combined = session.threads_and_notes(locations)
        except OmpdToolError as error:
            errors[inferior.num] = error
            threads.extend(session.plain_threads(locations))
            continue
        threads.extend(combined[0])
        notes.extend(note for note in combined[1] if note not in notes)
    if len(errors) == len(inferiors) and not _only_early(errors.values()):
        raise errors.get(gdb.selected_inferior().num) or next(iter(errors.values()))
    several = len(inferiors) > 1
    notes.extend(f"Inferior {n}: {error}" if several else str(error) for n, error in errors.items())
    return Snapshot(tuple(threads), (), tuple(notes), numbers_are_qualified())


def _only_early(errors: Iterable[OmpdToolError]) -> bool:
    """Tell whether all that is wrong is that OpenMP's runtimes have not started yet."""
    return all(isinstance(error, NotInitialized) for error in errors)


def told_once(snapshot: Snapshot, stop: "AnyStop") -> Snapshot:
    """Leave out the note on states where a listing of this process has said it before."""
    notes = stop.not_told(snapshot.notes)
    if notes == snapshot.notes:
        return snapshot

    return snapshot._replace(notes=notes)


def number_prefix() -> str:
    """Return what GDB writes before a number of the selected inferior's threads."""
    return f"{gdb.selected_inferior().num}." if numbers_are_qualified() else ""


def with_tasks(threads: Iterable[Thread]) -> list[int]:
    """Return the numbers of the threads that may execute a task."""
    return [thread.gdb_num for thread in threads if may_have_tasks(thread)]


def unknown(threads: Sequence[Thread]) -> tuple[str, ...]:
    """Say which of THREADS cannot be read and why, and what is not known of where they are."""
    from ..providers.facts import notes

    errors = Counter(thread.error for thread in threads if thread.error and not thread.running)
    unread = (f"Not read: {count} of the threads ({why})." for why, count in errors.items())
    places = (tuple(doubt for doubt in t.doubts if doubt.fact != "state") for t in threads)
    return (*unread, *notes("thread", places))


def current_thread(threads: tuple[Thread, ...]) -> Thread:
    """Return the selected thread; OmpdToolError if none is selected."""
    for thread in threads:
        if thread.selected:
            return thread
    raise OmpdToolError("no thread is selected: 'thread NUM' selects one")


def current_omp_thread(threads: tuple[Thread, ...]) -> Thread:
    """Return the selected thread if it is OpenMP's; OmpdToolError says what it is."""
    thread = current_thread(threads)
    if thread.running:
        raise ThreadRuns(thread.gdb_num)
    if thread.error is not None:
        raise OmpdToolError(f"thread {thread.gdb_num} cannot be read: {thread.error}")
    if thread.kind is ThreadKind.NATIVE:
        raise OmpdToolError(
            f"thread {thread.gdb_num} is not an OpenMP thread: 'ompd threads' lists those"
        )
    if thread.kind is ThreadKind.HELPER:
        raise OmpdToolError(
            f"thread {thread.gdb_num} is a helper of the OpenMP runtime's: it executes no task"
        )
    if thread.idle:
        raise OmpdToolError(
            f"thread {thread.gdb_num} is an idle OpenMP worker: it is in no region and has no task"
        )
    return thread
