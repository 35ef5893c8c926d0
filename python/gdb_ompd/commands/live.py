# SPDX-License-Identifier: Apache-2.0
"""The stop that the program is at now, and what several commands ask of it."""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Iterable, Optional, Sequence, TYPE_CHECKING

import gdb

from .. import __version__
from ..errors import NoProcess, NotInitialized, OmpdToolError, ThreadRuns
from ..host import moments, parameters
from ..host.selection import number_prefix, numbers_are_qualified, selected_thread, threads_of
from ..model import Snapshot, Thread, ThreadKind, may_have_tasks
from ..host.runtimes.notes import STATES_OFF
from ..host.sessions.registry import session_of

if TYPE_CHECKING:
    from ..explain.facts import Facts
    from ..explain.report import Report
    from ..model import Status
    from ..saved.document import Circumstances


def threads_of_all_inferiors(locations: bool) -> Snapshot:
    """Return every thread GDB knows, of all inferiors.

    An inferior without OpenMP has its threads shown as they are; if no
    inferior has a runtime that can be read, the selected one's error is raised.
    """
    threads: list[Thread] = []
    notes: list[str] = []
    errors: dict[int, OmpdToolError] = {}
    inferiors = [inferior for inferior in gdb.inferiors() if threads_of(inferior)]
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
    # A listing is made all the same where nothing is wrong but that OpenMP has not started yet.
    late = [error for error in errors.values() if not isinstance(error, NotInitialized)]
    if len(errors) == len(inferiors) and late:
        raise errors.get(gdb.selected_inferior().num) or next(iter(errors.values()))
    several = len(inferiors) > 1
    notes.extend(f"Inferior {n}: {error}" if several else str(error) for n, error in errors.items())
    return Snapshot(tuple(threads), (), tuple(notes), numbers_are_qualified())


def with_tasks(threads: Iterable[Thread]) -> list[int]:
    """Return the numbers of the threads that may execute a task."""
    return [thread.gdb_num for thread in threads if may_have_tasks(thread)]


def unknown(threads: Sequence[Thread]) -> tuple[str, ...]:
    """Say which of THREADS cannot be read and why, and what is not known of where they are."""
    from ..host.runtimes.notes import of_doubts

    errors = Counter(thread.error for thread in threads if thread.error and not thread.running)
    unread = (f"Not read: {count} of the threads ({why})." for why, count in errors.items())
    places = (tuple(doubt for doubt in t.doubts if doubt.fact != "state") for t in threads)
    return (*unread, *of_doubts("thread", places))


def current_thread(threads: tuple[Thread, ...]) -> Thread:
    """Return the selected thread; OmpdToolError if none is selected."""
    for thread in threads:
        if thread.selected:
            return thread
    raise OmpdToolError("no thread is selected: 'thread NUM' selects one")


def current_omp_thread(threads: tuple[Thread, ...]) -> Thread:
    """Return the selected thread if it is OpenMP's; OmpdToolError says what it is."""
    thread = current_thread(threads)
    if may_have_tasks(thread):
        return thread
    if thread.running:
        raise ThreadRuns(thread.gdb_num)
    if thread.error is not None:
        raise OmpdToolError(f"GDB thread {thread.gdb_num} cannot be read: {thread.error}")
    what = "an idle OpenMP worker: it is in no region and has no task"
    if thread.kind is ThreadKind.NATIVE:
        what = "not an OpenMP thread: 'ompd threads' lists those"
    elif thread.kind is ThreadKind.HELPER:
        what = "a helper of the OpenMP runtime's: it executes no task"
    raise OmpdToolError(f"GDB thread {thread.gdb_num} is {what}")


NO_PROCESS = "There is no process: start one with 'run', attach, or load a core file."


class LiveStop:
    """The selected inferior at this stop: what its session answers, and what GDB does."""

    def __init__(self) -> None:
        session, inferior, thread = session_of(), gdb.selected_inferior(), selected_thread()
        self.inferior: int = inferior.num
        self.qualified = numbers_are_qualified()
        self.prefix = number_prefix()
        self.selected = int(thread.num) if thread is not None else None
        self.said_once = (STATES_OFF,)
        self.snapshot, self.threads = session.snapshot, session.threads
        self.tasks, self.waiting_tasks = session.tasks, session.waiting_tasks
        self.implicit_tasks, self.icvs = session.implicit_tasks, session.icvs
        self.control_variables, self.stacks = session.control_variables, session.stacks
        self.cpus, self.devices, self.ran = session.cpus, session.devices, session.ran
        self.team_sizes, self.begins_none = session.team_sizes, session.begins_none
        self.not_told, self._read_facts = session.not_told, session.hang_facts
        self._facts: "Optional[Facts]" = None

    @property
    def numbers(self) -> list[int]:
        """Return the numbers of the inferior's threads, which few commands ask for."""
        return sorted(int(each.num) for each in threads_of(gdb.selected_inferior()))

    def everyone(self, locations: bool) -> Snapshot:
        """Return the threads of all inferiors."""
        return threads_of_all_inferiors(locations)

    def facts(self) -> "Facts":
        """Return what ``report`` is concluded from."""
        if self._facts is None:
            self._facts = self._read_facts()
        return self._facts

    def report(self) -> "Report":
        """Say why the program does not go on."""
        from ..explain.verdict import explain

        return explain(self.facts())

    def status(self) -> "Status":
        """Say what is mapped, and what serves it."""
        return _status()


def _status() -> "Status":
    from ..control import set_event
    from ..model import Status

    settings = tuple(parameters.settings())
    if not threads_of(gdb.selected_inferior()):
        return Status((), settings, (NO_PROCESS,))
    others = sum(1 for inferior in gdb.inferiors() if threads_of(inferior)) - 1
    notes = (f"This is inferior {gdb.selected_inferior().num}; others run, too.",) if others else ()
    try:
        runtimes = session_of().status()
    except OmpdToolError as error:
        return Status((), settings, (str(error), *notes))
    if not runtimes:
        return Status(runtimes, settings, (_why_none(), *notes))
    return Status(runtimes, settings, (*set_event.event_problems(), *notes))


def _why_none() -> str:
    """Say why no runtime is listed."""
    try:
        session_of().threads(locations=False)
    except OmpdToolError as error:
        return str(error)
    return "No OpenMP runtime is mapped."


def circumstances() -> "Circumstances":
    """Say when, where and of what a stop is saved."""
    from ..host.environment import environment
    from ..saved.document import Circumstances, rank_in

    inferior = gdb.selected_inferior()
    return Circumstances(
        time=time.time_ns() // 1_000_000,
        host=os.uname().nodename,
        program=inferior.progspace.filename,
        pid=inferior.pid,
        rank=rank_in(environment(session_of().files.space())),
        debugger=f"GDB {gdb.VERSION}",
        version=__version__,
        moment=f"{os.getpid()}.{moments.moment}.{inferior.pid}",
    )
