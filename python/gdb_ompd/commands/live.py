# SPDX-License-Identifier: Apache-2.0
"""The stop that the program is at now, as the commands ask it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import gdb

from .. import __version__

from ..errors import OmpdToolError
from ..host import moments, parameters
from ..host.environment import processor_times
from ..host.selection import numbers_are_qualified, selected_thread
from ..model import Snapshot
from ..providers.provider import STATES_OFF
from ..stop.registry import session_of
from .gather import threads_of_all_inferiors

if TYPE_CHECKING:
    from ..explain.report import Report
    from ..model import Status
    from ..saved.document import Circumstances

NO_PROCESS = "There is no process: start one with 'run', attach, or load a core file."


class LiveStop:
    """The selected inferior at this stop: what its session answers, and what GDB does."""

    def __init__(self) -> None:
        session, inferior, thread = session_of(), gdb.selected_inferior(), selected_thread()
        self.inferior: int = inferior.num
        self.qualified = numbers_are_qualified()
        self.prefix = f"{inferior.num}." if self.qualified else ""
        self.selected = int(thread.num) if thread is not None else None
        self.said_once = (STATES_OFF,)
        self.snapshot, self.threads = session.snapshot, session.threads
        self.tasks, self.waiting_tasks = session.tasks, session.waiting_tasks
        self.implicit_tasks, self.icvs = session.implicit_tasks, session.icvs
        self.control_variables, self.stacks = session.control_variables, session.stacks
        self.not_told, self._facts = session.not_told, session.hang_facts

    @property
    def numbers(self) -> list[int]:
        """Return the numbers of the inferior's threads, which few commands ask for."""
        return sorted(int(each.num) for each in gdb.selected_inferior().threads())

    def everyone(self, locations: bool) -> Snapshot:
        """Return the threads of all inferiors."""
        return threads_of_all_inferiors(locations)

    def report(self) -> "Report":
        """Say why the program does not go on."""
        from ..explain.verdict import explain

        return explain(self._facts())

    def ran(self) -> dict[int, int]:
        """Return how long the threads have run, for a process of this machine."""
        return processor_times(gdb.selected_inferior())

    def status(self) -> "Status":
        """Say what is mapped, and what serves it."""
        return _status()


def _status() -> "Status":
    from ..control import set_event
    from ..model import Status

    settings = tuple(parameters.settings())
    if not gdb.selected_inferior().threads():
        return Status((), settings, (NO_PROCESS,))
    others = sum(1 for inferior in gdb.inferiors() if inferior.threads()) - 1
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
    from ..saved.document import Circumstances
    from ..saved.ranks import rank_in

    inferior = gdb.selected_inferior()
    return Circumstances(
        time=time.time_ns() // 1_000_000,
        host=os.uname().nodename,
        program=inferior.progspace.filename,
        pid=inferior.pid,
        rank=rank_in(environment()),
        debugger=f"GDB {gdb.VERSION}",
        version=__version__,
        moment=f"{os.getpid()}.{moments.moment}.{inferior.pid}",
    )
